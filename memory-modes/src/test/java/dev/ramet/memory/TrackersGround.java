// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcMaps;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.testing.Require;
import dev.ramet.testing.Tracee;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;

/** Ground for tests of trackers of another process. */
@Timeout(900)
abstract class TrackersGround {
  static final int PAGE = NativeBuffer.PAGE_BYTES;
  static final int PAGES = 2048;

  final Path directory;

  TrackersGround(Path directory) {
    this.directory = directory;
  }

  Path image() throws Exception {
    byte[] bytes = new byte[PAGES * PAGE];
    new Random(1).nextBytes(bytes);
    Arrays.fill(bytes, 100 * PAGE, 140 * PAGE, (byte) 0);
    return Files.write(directory.resolve("image"), bytes);
  }

  MemoryMode tracking() {
    WriteTrackingProvider provider = new WriteTrackingProvider();
    ProbeResult found = provider.probe(new ProbeContext(directory));
    Require.feature("userfaultfd", found instanceof ProbeResult.Usable, found.toString());
    return provider.open(new ProbeContext(directory));
  }

  /** Returns the memory as the process has it mapped now. */
  static GuestMemory memory(Tracee tracee, Path image) throws LinuxException {
    long start = tracee.address();
    long end = start + (long) PAGES * PAGE;
    List<MemoryRegion> regions = new ArrayList<>();
    for (ProcMaps.Mapping mapping : ProcMaps.read(tracee.pid())) {
      long from = Math.max(start, mapping.start());
      long to = Math.min(end, mapping.end());
      if (from < to) {
        boolean file = mapping.path().equals(image.toString());
        MemoryRegion.Kind kind =
            file ? MemoryRegion.Kind.PRIVATE_IMAGE : MemoryRegion.Kind.ANONYMOUS;
        regions.add(new MemoryRegion(from - start, from, to - from, kind));
      }
    }
    return new GuestMemory(tracee.pid(), (long) PAGES * PAGE, regions);
  }

  /** Returns whether any mapping has the flag "uw": registered for write protection. */
  static boolean registered(Tracee tracee) throws Exception {
    return Files.readAllLines(Path.of("/proc/" + tracee.pid() + "/smaps")).stream()
        .anyMatch(line -> line.startsWith("VmFlags:") && (line + " ").contains(" uw "));
  }
}
