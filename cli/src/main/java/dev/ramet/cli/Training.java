// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import com.sun.net.httpserver.HttpServer;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Runs typical commands with prepared responses, over TCP and over a unix socket, so that a class
 * data archive of this run (JDK option {@code -XX:ArchiveClassesAtExit}) contains the classes they
 * need.
 */
final class Training {
  private static final String SANDBOX =
      "{\"sandboxID\":\"a\",\"templateID\":\"t\",\"clientID\":\"c\",\"envdVersion\":\"0.6.13\","
          + "\"startedAt\":\"2026-01-01T00:00:00Z\",\"state\":\"running\",\"cpuCount\":1,"
          + "\"memoryMB\":256,\"diskSizeMB\":1024,\"metadata\":{\"k\":\"v\"}}";
  private static final String DOCTOR =
      "{\"verdict\":\"GOOD\",\"host\":{},\"plugins\":[],\"selections\":[],\"advice\":[]}";
  private static final byte[] END =
      "{\"event\":{\"end\":{\"exitCode\":0,\"exited\":true}}}".getBytes(StandardCharsets.UTF_8);

  private static final String[] COMMANDS = {
    "sandbox create",
    "sandbox ls",
    "sandbox show a",
    "sandbox exec a -- true",
    "sandbox kill a",
    "snapshot ls",
    "template list",
    "doctor",
    "sandbox --help",
    "--help",
    "--version",
    "version --client",
    "nothing"
  };

  private Training() {}

  public static void main(String[] args) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    serve(server, "/sandboxes", SANDBOX.getBytes(StandardCharsets.UTF_8));
    serve(server, "/v2/sandboxes", ("[" + SANDBOX + "]").getBytes(StandardCharsets.UTF_8));
    serve(server, "/snapshots", "[]".getBytes(StandardCharsets.UTF_8));
    serve(server, "/templates", "[]".getBytes(StandardCharsets.UTF_8));
    serve(server, "/doctor", DOCTOR.getBytes(StandardCharsets.UTF_8));
    serve(server, "/process.Process/Start", stream());
    server.start();
    InetSocketAddress address = server.getAddress();
    String port = Integer.toString(address.getPort());
    String url = "http://127.0.0.1:" + port;
    Path directory = Files.createTempDirectory("ramet-training");
    Path socket = directory.resolve("socket");
    Path file = directory.resolve("ramet.yaml");
    try (ServerSocketChannel local = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      local.bind(UnixDomainSocketAddress.of(socket));
      daemon(() -> relay(local, address));
      run(Map.of("RAMET_SERVER", url));
      Files.writeString(file, "ramet:\n  port: " + port + "\n  socket: " + socket + "\n");
      run(Map.of("RAMET_CONFIG", file.toString()));
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(socket);
      Files.delete(directory);
      server.stop(0);
    }
  }

  private static void run(Map<String, String> environment) {
    Context context =
        new Context(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            environment,
            Terminal.NONE);
    for (String line : COMMANDS) {
      Main.run(context, line.split(" ", -1));
    }
  }

  /** Carries the connections to a unix socket to the server, which knows no such sockets. */
  private static void relay(ServerSocketChannel local, InetSocketAddress address) {
    while (true) {
      try {
        SocketChannel client = local.accept();
        SocketChannel server = SocketChannel.open(address);
        daemon(() -> copy(client, server));
        daemon(() -> copy(server, client));
      } catch (IOException e) {
        return; // closed at the end of the training
      }
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    ByteBuffer bytes = ByteBuffer.allocate(1 << 13);
    try (from;
        to) {
      while (from.read(bytes.clear()) >= 0) {
        bytes.flip();
        while (bytes.hasRemaining()) {
          to.write(bytes);
        }
      }
    } catch (IOException e) {
      // The other direction has ended, and closed both.
    }
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "training");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns one event and the end of the stream, in the Connect protocol. */
  private static byte[] stream() {
    byte[] bytes = new byte[5 + END.length + 5 + 2];
    bytes[4] = (byte) END.length;
    System.arraycopy(END, 0, bytes, 5, END.length);
    int last = 5 + END.length;
    bytes[last] = 2;
    bytes[last + 4] = 2;
    bytes[last + 5] = '{';
    bytes[last + 6] = '}';
    return bytes;
  }

  private static void serve(HttpServer server, String path, byte[] body) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
          }
        });
  }
}
