// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.GuestSecret;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The driver's files in a machine's directory.
 *
 * @param directory the directory as QEMU's command line names it: absolute, links resolved
 */
public record VmFiles(Path directory) {
  /** The monitor's socket; QEMU creates it relative to its working directory. */
  public static final String MONITOR = "qmp.sock";

  /** The socket of QEMU's NBD server, see {@code DirtyBitmaps}. */
  public static final String NBD_SOCKET = "nbd.sock";

  /** The socket to which QEMU sends the RAM blocks of a new machine, once. */
  public static final String RAM_SOCKET = "ram.sock";

  /**
   * The RAM blocks, a file in a machine's directory and in a saved state, see {@link RamBlocks}.
   */
  public static final String RAM_BLOCKS = "ram-blocks";

  /** The stream that QEMU loads during a restore. */
  static final String INCOMING = "incoming";

  /** The file into which QEMU writes the state of its devices, see {@code DeviceSave}. */
  public static final String STATE = "state";

  /** The device state as QEMU wrote it, a file in a saved state. */
  public static final String DEVICES = "devices";

  /**
   * {@code sun_path} takes 108 bytes with its final zero (unix(7)), and the JDK reserves one more.
   */
  private static final int SOCKET_PATH_MAX_BYTES = 100;

  private static final int TAIL_BYTES = 2048;

  /**
   * A line that QEMU prints at every start (see {@link CommandLine#MONITOR}); not worth reporting.
   */
  public static final String WAITING = "info: QEMU waiting for connection on";

  public static VmFiles of(Path directory) {
    try {
      return new VmFiles(directory.toRealPath());
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, "directory: not an existing directory: " + directory, e);
    }
  }

  public Path pidFile() {
    return directory.resolve("qemu.pid");
  }

  public Path log() {
    return directory.resolve("vmm.log");
  }

  Path console() {
    return directory.resolve("console.log");
  }

  public Path ramBlocks() {
    return directory.resolve(RAM_BLOCKS);
  }

  /** Returns the stream that QEMU loads during a restore; deleted once it is loaded. */
  public Path incoming() {
    return directory.resolve(INCOMING);
  }

  /**
   * Returns the file with the secret that the guest's root may read; deleted once QEMU has read it.
   * It is a file because every user can read a process's command line.
   */
  public Path secret() {
    return directory.resolve("secret");
  }

  /** Writes the secret's file for QEMU, readable by its owner only. */
  public void writeSecret(GuestSecret secret) {
    Path file = secret();
    delete(file);
    try (SeekableByteChannel out =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer text = StandardCharsets.US_ASCII.encode(secret.text());
      while (text.hasRemaining()) {
        out.write(text);
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot write in " + directory + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns a path to a socket in the directory that is short enough for {@code sun_path}. If the
   * plain path is too long, it goes through the working directory of the machine's process.
   */
  public Path socket(String name, long pid) {
    Path plain = directory.resolve(name);
    return plain.toString().getBytes(StandardCharsets.UTF_8).length <= SOCKET_PATH_MAX_BYTES
        ? plain
        : Path.of("/proc", Long.toString(pid), "cwd", name);
  }

  /** Deletes the files that are useful only while the process lives. */
  public void removeSockets() {
    removeStale();
    delete(incoming());
    delete(secret());
  }

  /** Deletes files of an earlier machine that would hinder the next one. */
  public void removeStale() {
    delete(directory.resolve(MONITOR));
    delete(directory.resolve(RAM_SOCKET));
    delete(directory.resolve(NBD_SOCKET));
    delete(pidFile());
  }

  /** Deletes all files the driver created here. */
  public void removeAll() {
    removeSockets();
    delete(ramBlocks());
    delete(directory.resolve(STATE));
    delete(directory.resolve(RAM_BLOCKS + ".new"));
    delete(log());
    delete(console());
  }

  public static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The caller deletes the file with its directory.
    }
  }

  /** Returns the ends of QEMU's log and of the guest's console, for error messages. */
  public String tails() {
    StringBuilder text = new StringBuilder();
    for (Path file : List.of(log(), console())) {
      String tail = tail(file);
      if (!tail.isEmpty()) {
        text.append("; end of ").append(file.getFileName()).append(": ").append(tail);
      }
    }
    return text.toString();
  }

  private static String tail(Path file) {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long start = Math.max(0, in.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) (in.length() - start)];
      in.seek(start);
      in.readFully(bytes);
      // The guest controls the console, so strip control characters that could reach a terminal.
      return new String(bytes, StandardCharsets.UTF_8)
          .replaceAll("[\\p{Cntrl}&&[^\n]]", "")
          .lines()
          .filter(line -> !line.contains(WAITING))
          .collect(Collectors.joining(" | "))
          .strip();
    } catch (IOException e) {
      return "";
    }
  }
}
