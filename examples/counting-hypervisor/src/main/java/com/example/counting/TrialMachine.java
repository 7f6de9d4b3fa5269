// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * A stand-in for your hypervisor's program: a process whose "guest" counts in its memory and
 * executes no kernel. It maps its memory privately, accepts orders at a socket in its directory,
 * and knows nothing of the driver, as a virtual machine monitor does. Its class path is the
 * plugin's jar alone.
 */
final class TrialMachine {
  /** Replaces the path of a memory image: the machine starts with empty memory. */
  static final String EMPTY = "-";

  /** The socket for orders, in a machine's directory. It exists once the machine is up. */
  static final String SOCKET = "control";

  /** The file that empty memory is mapped from, for a moment in a machine's directory. */
  static final String MEMORY = "memory";

  /** The file for the devices, in the directory of a saved state. */
  static final String DEVICES = "devices";

  private final String devices;
  private final InetAddress hostAddress;
  private final MappedByteBuffer memory;
  private final String where;
  private final Map<Integer, ServerSocket> forwarded = new HashMap<>();
  private boolean running;

  private TrialMachine(Path directory, long memoryBytes, String hostAddress, String image)
      throws IOException {
    this.devices = "counting machine, memoryBytes=" + memoryBytes + "\n";
    this.hostAddress = InetAddress.getByName(hostAddress);
    boolean empty = image.equals(EMPTY);
    Path file = empty ? Files.createFile(directory.resolve(MEMORY)) : Path.of(image);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (!empty && channel.size() != memoryBytes) {
        throw new IOException("not the memory of this machine: " + image);
      }
      // Private: an image is never written, and empty memory never leaves this process.
      memory = channel.map(FileChannel.MapMode.PRIVATE, 0, memoryBytes);
    }
    memory.order(ByteOrder.nativeOrder());
    where = address(file.toRealPath()) + " " + (empty ? "ANONYMOUS" : "PRIVATE_IMAGE");
    if (empty) {
      Files.delete(file);
    }
    running = empty;
  }

  /**
   * Arguments: the machine's directory, bytes of memory, the host address of its ports, and then
   * the image of its memory and the directory of its devices, or {@link #EMPTY} for both.
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    TrialMachine machine = new TrialMachine(directory, Long.parseLong(args[1]), args[2], args[3]);
    if (!args[4].equals(EMPTY)) {
      machine.load(Path.of(args[4]));
    }
    Thread guest = new Thread(machine::guest, "guest");
    guest.setDaemon(true);
    guest.start();
    try (ServerSocketChannel control = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      control.bind(UnixDomainSocketAddress.of(directory.resolve(SOCKET)));
      while (true) {
        machine.serve(control.accept());
      }
    }
  }

  /** Runs the guest, which counts while it may. */
  private void guest() {
    try {
      while (true) {
        tick();
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts the guest", e);
    }
  }

  private synchronized void tick() {
    if (running) {
      memory.putLong(0, memory.getLong(0) + 1);
    }
  }

  private synchronized long counted() {
    return memory.getLong(0);
  }

  /** Stops or resumes the guest; takes effect before this returns. */
  private synchronized void run(boolean run) {
    running = run;
  }

  /** Handles one order. If a driver dies in the middle of one, the machine carries on. */
  private void serve(SocketChannel from) {
    try (from;
        BufferedReader in = new BufferedReader(Channels.newReader(from, StandardCharsets.UTF_8));
        OutputStream out = Channels.newOutputStream(from)) {
      String order = in.readLine();
      if (order != null) {
        out.write((obeyed(order) + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      System.err.println("an order was lost: " + e);
    }
  }

  private String obeyed(String order) {
    String[] words = order.split(" ", 2);
    try {
      return "ok " + obey(words[0], words.length == 1 ? "" : words[1]);
    } catch (IOException | RuntimeException e) {
      return "no " + e;
    }
  }

  private String obey(String order, String what) throws IOException {
    switch (order) {
      case "pause":
        run(false);
        return "";
      case "resume":
        run(true);
        return "";
      case "memory":
        return where;
      case "save":
        Files.writeString(Path.of(what).resolve(DEVICES), devices);
        return "";
      case "forward":
        return Integer.toString(forward(Integer.parseInt(what)));
      default:
        throw new IllegalArgumentException("no order: " + order);
    }
  }

  private void load(Path directory) throws IOException {
    if (!Files.readString(directory.resolve(DEVICES)).equals(devices)) {
      throw new IOException("not the devices of this machine: " + directory);
    }
  }

  /**
   * Opens a port at which the guest answers every connection with its count; returns the host port.
   */
  private int forward(int guestPort) throws IOException {
    ServerSocket known = forwarded.get(guestPort);
    if (known != null) {
      return known.getLocalPort();
    }
    ServerSocket port = new ServerSocket();
    port.bind(new InetSocketAddress(hostAddress, 0));
    forwarded.put(guestPort, port);
    Thread answers = new Thread(() -> answer(port), "port " + guestPort);
    answers.setDaemon(true);
    answers.start();
    return port.getLocalPort();
  }

  private void answer(ServerSocket port) {
    while (true) {
      try (Socket caller = port.accept()) {
        caller.getOutputStream().write((counted() + "\n").getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        System.err.println("a call was lost: " + e);
      }
    }
  }

  /** Returns the address at which a file is mapped in this process (proc_pid_maps(5)). */
  private static long address(Path file) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      if (line.endsWith(" " + file)) {
        return Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16);
      }
    }
    throw new IOException("not mapped: " + file);
  }
}
