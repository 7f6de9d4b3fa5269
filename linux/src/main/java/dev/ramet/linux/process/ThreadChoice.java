// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;
import java.io.File;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Chooses which thread of a process to stop, best first. */
public final class ThreadChoice {
  /** Blocked in futex(2): an idle thread whose call the kernel restarts by itself. */
  private static final long FUTEX = 202;

  /**
   * Blocked in a call that interruption ends with EINTR even when nothing happened (signal(7), and
   * ioctl for KVM_RUN): its program copes with that, but need not be made to. Or in
   * restart_syscall(2), which does so only if this process dies meanwhile: see {@code SignalFrame}.
   */
  private static final List<Long> SPURIOUS = List.of(16L, 232L, 281L, 441L, 426L, 128L, 219L);

  private ThreadChoice() {}

  /**
   * Returns the threads to try. The first thread of a child of this process is left out: the JVM
   * waits for its end with waitpid(2), which a traced thread's stop would satisfy, so that the JVM
   * took a living child for a dead one.
   *
   * @throws LinuxException ENOENT or ESRCH when there is no such process
   */
  public static List<Long> candidates(long pid) throws LinuxException {
    long parent = ProcStatus.number("/proc/" + pid + "/status", "PPid", 0);
    String[] names = new File("/proc/" + pid + "/task").list();
    if (names == null) {
      throw new LinuxException("opendir", LinuxException.ESRCH, "/proc/" + pid + "/task");
    }
    record Candidate(long thread, int rank) {}
    List<Candidate> candidates = new ArrayList<>();
    for (String name : names) {
      long thread = Long.parseLong(name);
      if (thread == pid && parent == ProcessHandle.current().pid()) {
        continue;
      }
      try {
        String call = ProcFile.read("/proc/" + pid + "/task/" + thread + "/syscall");
        candidates.add(new Candidate(thread, rank(call)));
      } catch (LinuxException e) {
        if (e.errno() == LinuxException.EPERM || e.errno() == LinuxException.EACCES) {
          throw e;
        }
        // The thread has ended since the directory was read.
      }
    }
    return candidates.stream()
        .sorted(Comparator.comparing(Candidate::rank))
        .map(Candidate::thread)
        .toList();
  }

  /** Returns the text of /proc/pid/task/tid/syscall: the call's number first, or "running". */
  public static int rank(String call) {
    String first = call.trim().split(" ", 2)[0];
    if (!first.matches("\\d+")) {
      return 3;
    }
    long number = Long.parseLong(first);
    return number == FUTEX ? 0 : SPURIOUS.contains(number) ? 2 : 1;
  }
}
