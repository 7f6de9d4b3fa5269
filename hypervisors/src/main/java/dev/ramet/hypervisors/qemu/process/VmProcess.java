// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.process;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A QEMU process, whether or not it is a child of this one. It stays the same process even if its
 * pid is reused: {@link ProcessHandle} compares start times before it sends a signal. Thread-safe.
 */
public final class VmProcess {
  /** Poll interval for an exit: no call can wait for a process that is not a child. */
  private static final long GONE_POLL_NANOS = 500_000;

  private final ProcessHandle handle;

  private VmProcess(ProcessHandle handle) {
    this.handle = handle;
  }

  /**
   * Starts {@code command} in {@code directory} and writes both outputs to {@code log}.
   *
   * @param input the file to use as standard input
   */
  public static VmProcess start(List<String> command, Path directory, Path input, Path log) {
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectInput(input.toFile())
              .redirectOutput(log.toFile())
              .redirectErrorStream(true)
              .start();
      return new VmProcess(process.toHandle());
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot start " + command.get(0) + ": " + e.getMessage(),
          "install QEMU (qemu-system-x86) and util-linux, or set the path with `binary`",
          e);
    }
  }

  /** Returns the process named in the directory's pid file, if it is a QEMU of that directory. */
  public static Optional<VmProcess> find(VmFiles files) {
    try {
      long pid = Long.parseLong(Files.readString(files.pidFile()).strip());
      return ProcessHandle.of(pid)
          .filter(handle -> isRunningBelow(pid, files.directory()))
          .map(VmProcess::new)
          .filter(VmProcess::alive);
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Returns all QEMU processes of {@code directory} and of the directories below it. */
  public static List<VmProcess> findBelow(Path directory) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(handle -> isRunningBelow(handle.pid(), directory))
          .map(VmProcess::new)
          .filter(VmProcess::alive)
          .toList();
    }
  }

  /**
   * Returns whether this package started the process as a QEMU for this directory or one below it.
   * It checks the argument of {@code -pidfile}: a path that merely appears elsewhere is not enough.
   */
  private static boolean isRunningBelow(long pid, Path directory) {
    List<String> args = arguments(pid);
    int at = args.indexOf("-pidfile");
    return at >= 0
        && at + 1 < args.size()
        && args.contains("-no-user-config")
        && Path.of(args.get(at + 1)).startsWith(directory);
  }

  /** Returns the arguments of a process; empty if it is gone or a zombie. */
  private static List<String> arguments(long pid) {
    try {
      byte[] all = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
      List<String> args = new ArrayList<>();
      int start = 0;
      for (int i = 0; i < all.length; i++) {
        if (all[i] == 0) {
          args.add(new String(all, start, i - start, StandardCharsets.UTF_8));
          start = i + 1;
        }
      }
      return args;
    } catch (IOException e) {
      return List.of();
    }
  }

  public List<String> arguments() {
    return arguments(handle.pid());
  }

  public long pid() {
    return handle.pid();
  }

  /**
   * Returns whether the process still executes. A zombie that its parent has not reaped does not,
   * unless other threads of it are still exiting and hold its files open.
   */
  public boolean alive() {
    if (!handle.isAlive()) {
      return false;
    }
    Path proc = Path.of("/proc", Long.toString(handle.pid()));
    try (Stream<Path> threads = Files.list(proc.resolve("task"))) {
      if (threads.limit(2).count() > 1) {
        return true;
      }
      // proc(5): the state follows the program's name, which is in brackets and may hold any byte.
      byte[] stat = Files.readAllBytes(proc.resolve("stat"));
      String text = new String(stat, StandardCharsets.ISO_8859_1);
      int state = text.lastIndexOf(')') + 2;
      return state < text.length() && text.charAt(state) != 'Z' && text.charAt(state) != 'X';
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  /** Runs {@code then} on some thread after the exit; a bit later if the process is not a child. */
  void whenEnded(Runnable then) {
    var unused = handle.onExit().thenRun(then);
  }

  /** Kills the process and waits until it is gone. Idempotent. */
  public void kill(Deadline deadline) {
    handle.destroyForcibly();
    while (alive()) {
      if (deadline.passed()) {
        throw deadline.exceeded("the end of process " + pid());
      }
      LockSupport.parkNanos(GONE_POLL_NANOS);
    }
  }
}
