// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.InjectionException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.PagemapScan;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.linux.process.TracePermission;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Provides the mode {@code write-tracking}. */
public final class WriteTrackingProvider implements MemoryModeProvider {
  private static final MemoryFacts FACTS =
      MemoryFacts.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE, MemoryFeature.LIVE)
          .needing(Access.INJECT);
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final String KERNEL =
      "use Linux 6.7 or newer with CONFIG_USERFAULTFD and CONFIG_PTE_MARKER_UFFD_WP, and do not"
          + " filter userfaultfd (a container's seccomp profile may)";

  /** Called by {@link java.util.ServiceLoader}. */
  public WriteTrackingProvider() {}

  @Override
  public String id() {
    return WriteTracking.ID;
  }

  @Override
  public MemoryFacts atBest() {
    return FACTS;
  }

  /**
   * Tracks writes to a private mapping of a file in this process, and then borrows a thread of
   * another process, a grandchild as hypervisors may be.
   */
  @Override
  public ProbeResult probe(ProbeContext where) {
    if (!Userfaultfd.supported()) {
      return new ProbeResult.Unusable(
          "needs an x86-64 processor",
          "this one is " + System.getProperty("os.arch"),
          "use mode soft-dirty or incremental");
    }
    String seen;
    try {
      Path file = Files.createTempFile(where.root(), "probe-", ".img");
      try {
        Files.write(file, new byte[3 * PAGE]);
        seen = track(file);
      } finally {
        Files.delete(file);
      }
    } catch (LinuxException e) {
      return new ProbeResult.Unusable(
          "the kernel has no asynchronous write protection",
          e.call() + " answered errno " + e.errno(),
          KERNEL);
    } catch (IOException | RuntimeException | LinkageError e) {
      return new ProbeResult.Failed(e);
    }
    if (!seen.equals("protected 0 1, written 0 2")) {
      return new ProbeResult.Unusable("writes are not distinguished", seen, KERNEL);
    }
    return inject(seen);
  }

  /** Writes pages 0 and 1, protects, writes pages 0 and 2, and returns what the kernel reports. */
  private static String track(Path file) throws LinuxException {
    StringBuilder seen = new StringBuilder("protected");
    try (NativeBuffer memory = NativeBuffer.mapPrivate(file, 0, 3L * PAGE);
        PagemapScan scan = PagemapScan.open(ProcessHandle.current().pid());
        Userfaultfd protection = Userfaultfd.openHere()) {
      protection.register(memory.address(), memory.sizeBytes());
      for (int[] pages : new int[][] {{0, 1}, {0, 2}}) {
        for (int page : pages) {
          memory.view((long) page * PAGE, 1).put(0, (byte) 1);
        }
        scan.scan(
            memory.address(),
            memory.sizeBytes(),
            false,
            (start, end, categories) -> {
              for (long at = start; at < end; at += PAGE) {
                if ((categories & PagemapScan.WRITTEN) != 0) {
                  seen.append(' ').append((at - memory.address()) / PAGE);
                }
              }
            });
        scan.protect(memory.address(), memory.sizeBytes());
        seen.append(pages[1] == 1 ? ", written" : "");
      }
    }
    return seen.toString();
  }

  private static ProbeResult inject(String seen) {
    Process shell = null;
    ProcessHandle other = null;
    try {
      // The inner shell says its number itself, so that it is past its execve: both end with input.
      shell = new ProcessBuilder("sh", "-c", "sh -c 'echo $$; read line'; exit").start();
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(shell.getInputStream(), StandardCharsets.US_ASCII))) {
        long pid = Long.parseLong(String.valueOf(lines.readLine()));
        other = ProcessHandle.of(pid).orElse(null);
        Userfaultfd.openIn(pid).close();
      }
      return new ProbeResult.Usable(
          FACTS, Map.of("writes", seen, "injection", "a system call ran in a child process"));
    } catch (InjectionException e) {
      return new ProbeResult.Unusable(
          "no system call can be made in another process",
          String.valueOf(e.getMessage()),
          WriteTracking.remedy(e));
    } catch (LinuxException e) {
      return new ProbeResult.Unusable(
          "another process cannot be traced",
          e.call() + " answered errno " + e.errno(),
          TracePermission.remedy());
    } catch (IOException | RuntimeException e) {
      return new ProbeResult.Failed(e);
    } finally {
      if (other != null) {
        other.destroyForcibly();
      }
      if (shell != null) {
        shell.destroyForcibly();
      }
    }
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new WriteTracking();
  }
}
