// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The simulated processes of the reference hypervisor: like real ones, they outlive the drivers
 * that start them. Thread-safe.
 */
class ReferenceMachines {
  /** Above the kernel's process ids, so that they cannot be confused with real ones. */
  private static final long FIRST_PID = 5_000_000;

  private final AtomicLong lastPid = new AtomicLong(FIRST_PID);
  private final Map<Long, Guest> processes = new ConcurrentHashMap<>();

  /** A machine whose guest counts with the clock. */
  static final class Guest {
    final long pid;
    final Path directory;
    final long memoryBytes;
    final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private long counted;
    private long since;
    private boolean running;

    /** The secret that the guest's root can read. */
    volatile @Nullable String secret;

    /** Memory that is fetched when it is touched; null for memory that was mapped or is new. */
    volatile @Nullable FaultedMemory faulted;

    Guest(long pid, Path directory, long memoryBytes, long counted) {
      this.pid = pid;
      this.directory = directory;
      this.memoryBytes = memoryBytes;
      this.counted = counted;
    }

    synchronized long count() {
      return running ? counted + (System.nanoTime() - since) / 1000 : counted;
    }

    synchronized void stop() {
      counted = count();
      running = false;
    }

    synchronized void go() {
      if (!running) {
        since = System.nanoTime();
        running = true;
      }
    }
  }

  /** Starts a paused machine. */
  Guest start(Path directory, long memoryBytes, long counted) {
    long pid = lastPid.incrementAndGet();
    Guest process = new Guest(pid, directory, memoryBytes, counted);
    processes.put(pid, process);
    return process;
  }

  /** Returns the process of a machine, or null if it has ended. */
  @Nullable Guest find(long pid) {
    return processes.get(pid);
  }

  /** Returns the process of a machine that has not ended. */
  Guest guest(long pid) {
    return Objects.requireNonNull(find(pid));
  }

  /** Returns the process that started first. */
  long first() {
    return FIRST_PID + 1;
  }

  /**
   * Ends a machine.
   *
   * @param requested whether its driver requested it
   */
  void end(long pid, boolean requested) {
    Guest process = processes.remove(pid);
    if (process != null) {
      process.stop();
      process.ended.complete(requested);
    }
  }

  /** Returns the machines that work in or below a directory. */
  Set<Long> below(Path directory) {
    Set<Long> found = new TreeSet<>();
    processes.values().stream()
        .filter(process -> process.directory.startsWith(directory))
        .forEach(process -> found.add(process.pid));
    return found;
  }
}
