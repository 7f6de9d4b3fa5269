// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A machine's process, which outlives the driver that started it. Equal for the same process.
 * Thread-safe.
 *
 * @param handle the process
 * @param directory the directory it works in
 */
record MicroProcess(ProcessHandle handle, Path directory) {
  /** The file that holds what the process prints, for people to read. */
  static final String LOG = "micro.log";

  private static final String SOCKET = "api.sock";
  private static final long POLL_NANOS = 1_000_000;
  private static final Path NOTHING = Path.of("/dev/null");

  /**
   * Starts a process and waits until it takes orders. A start that fails leaves nothing but the
   * log.
   */
  static MicroProcess start(List<String> command, Path directory, Duration timeout) {
    tidy(directory);
    long end = System.nanoTime() + timeout.toNanos();
    MicroProcess process;
    try {
      process =
          new MicroProcess(
              new ProcessBuilder(command)
                  .redirectInput(NOTHING.toFile())
                  .redirectErrorStream(true)
                  .redirectOutput(directory.resolve(LOG).toFile())
                  .start()
                  .toHandle(),
              directory);
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot start a machine: " + e, e);
    }
    boolean up = false;
    try {
      while (!process.answers()) {
        if (!process.handle.isAlive()) {
          throw process.ended();
        }
        if (System.nanoTime() > end) {
          throw new RametException(ErrorCode.DEADLINE_EXCEEDED, "no machine in " + directory);
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
      up = true;
      return process;
    } finally {
      if (!up) {
        process.end(Duration.ofSeconds(10));
      }
    }
  }

  /** Returns the processes whose directory is accepted. */
  static List<MicroProcess> all(Predicate<Path> directory) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.flatMap(handle -> of(handle).stream())
          .filter(process -> directory.test(process.directory))
          .toList();
    }
  }

  /** Returns the process of a machine, or nothing for another process. */
  private static List<MicroProcess> of(ProcessHandle handle) {
    try {
      Path file = Path.of("/proc", Long.toString(handle.pid()), "cmdline");
      String[] words = Files.readString(file, StandardCharsets.UTF_8).split("\0", -1);
      return words.length > 2 && words[0].endsWith("/" + MicroProgram.NAME)
          ? List.of(new MicroProcess(handle, Path.of(words[1])))
          : List.of();
    } catch (IOException gone) {
      return List.of();
    }
  }

  long pid() {
    return handle.pid();
  }

  private boolean answers() {
    try {
      return call("memory").startsWith("ok ");
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Has the process do something, and returns its answer. */
  String order(String order) {
    String answer;
    try {
      answer = call(order);
    } catch (IOException e) {
      throw ended();
    }
    if (!answer.startsWith("ok")) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, order + ": " + answer);
    }
    return answer.substring(2).strip();
  }

  private String call(String order) throws IOException {
    // A socket's path is short; the one of the directory may not be (unix(7)).
    Path socket = Path.of("/proc", Long.toString(pid()), "cwd", SOCKET);
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        BufferedReader in =
            new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        OutputStream out = Channels.newOutputStream(channel)) {
      out.write((order + "\n").getBytes(StandardCharsets.UTF_8));
      String answer = in.readLine();
      if (answer == null) {
        throw new IOException("no answer");
      }
      return answer;
    }
  }

  /** Returns the error for a process that ended. */
  RametException ended() {
    return new RametException(ErrorCode.HYPERVISOR_FAILED, "the machine ended: " + lastWords());
  }

  String lastWords() {
    try {
      return Files.readString(directory.resolve(LOG)).strip();
    } catch (IOException e) {
      return "no log";
    }
  }

  /** Ends the process and waits until it is gone. */
  void end(Duration timeout) {
    handle.destroyForcibly();
    try {
      handle.onExit().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new RametException(ErrorCode.DEADLINE_EXCEEDED, "process " + pid() + " stays", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted", e);
    }
    tidy(directory);
  }

  private static void tidy(Path directory) {
    try {
      Files.deleteIfExists(directory.resolve(SOCKET));
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot tidy " + directory + ": " + e, e);
    }
  }
}
