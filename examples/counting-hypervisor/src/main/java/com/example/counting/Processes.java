// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * The machines' processes, found by their command lines (proc_pid_cmdline(5)): what is written
 * nowhere cannot be lost in a crash, nor name a process that only has the same number.
 */
final class Processes {
  private static final String PROGRAM = TrialMachine.class.getName();

  private Processes() {}

  /** Those whose machine's directory is this one, or is below it. */
  static List<ProcessHandle> below(Path directory) {
    String own = absolute(directory);
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(
              process -> {
                String its = directoryOf(process);
                return its.equals(own) || its.startsWith(own + "/");
              })
          .toList();
    }
  }

  /** Those whose machine's directory is this one: one at most. */
  static List<ProcessHandle> in(Path directory) {
    String own = absolute(directory);
    return below(directory).stream().filter(one -> directoryOf(one).equals(own)).toList();
  }

  static String absolute(Path directory) {
    return directory.toAbsolutePath().normalize().toString();
  }

  /** Empty for what is no machine, or has ended. */
  private static String directoryOf(ProcessHandle process) {
    try {
      byte[] line = Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
      List<String> words = List.of(new String(line, StandardCharsets.UTF_8).split("\0"));
      int program = words.indexOf(PROGRAM);
      return program < 0 || program + 1 == words.size() ? "" : words.get(program + 1);
    } catch (IOException gone) {
      return "";
    }
  }

  /** Ends a process and waits until it is gone, also in a thread that is interrupted. */
  static void end(ProcessHandle process, Duration timeout) {
    process.destroyForcibly();
    long end = System.nanoTime() + timeout.toNanos();
    boolean interrupted = Thread.interrupted();
    try {
      while (!gone(process, end - System.nanoTime())) {
        interrupted = true;
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** False where the wait was interrupted. */
  private static boolean gone(ProcessHandle process, long timeoutNanos) {
    try {
      process.onExit().get(timeoutNanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (InterruptedException e) {
      return false;
    } catch (TimeoutException e) {
      throw new RametException(
          ErrorCode.DEADLINE_EXCEEDED, "process " + process.pid() + " does not end", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
