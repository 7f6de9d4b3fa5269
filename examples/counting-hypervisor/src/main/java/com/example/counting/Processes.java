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
 * Finds the machines' processes by their command lines (proc_pid_cmdline(5)): unlike recorded
 * process ids these are not lost in a crash, and cannot refer to another process with the same id.
 */
final class Processes {
  private static final String PROGRAM = TrialMachine.class.getName();

  private Processes() {}

  /** Returns the processes whose machine's directory is this one or below it. */
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

  /** Returns the processes whose machine's directory is this one: at most one. */
  static List<ProcessHandle> in(Path directory) {
    String own = absolute(directory);
    return below(directory).stream().filter(one -> directoryOf(one).equals(own)).toList();
  }

  static String absolute(Path directory) {
    return directory.toAbsolutePath().normalize().toString();
  }

  /** Returns the directory of a machine's process; empty if it is no machine or has ended. */
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

  /** Kills a process and waits until it is gone, even in an interrupted thread. */
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

  /** Waits for a process to end; false if the wait was interrupted. */
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
