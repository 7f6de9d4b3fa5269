// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.testing.Tracee;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that trackers leave nothing behind, however they end. */
final class TrackerEndsTest extends TrackersGround {
  TrackerEndsTest(@TempDir Path directory) {
    super(directory);
  }

  @Test
  void nothingStaysBehind() throws Exception {
    MemoryMode mode = tracking();
    Path image = image();
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      Set<String> before = tracee.descriptors();
      tracee.command("w 0 64 1");
      GuestMemory memory = memory(tracee, image);
      MemoryTracker tracker = mode.attach(memory);
      assertEquals(before, tracee.descriptors());
      assertFalse(registered(tracee), "nothing is registered before the first capture");
      tracker.select(memory);
      tracker.committed();
      assertTrue(registered(tracee));
      assertEquals(before, tracee.descriptors());
      assertEquals(0, tracker.select(memory).count());
      tracker.close();
      tracker.close();
      assertFalse(registered(tracee));
      try (MemoryTracker again = mode.attach(memory)) {
        assertEquals(64L * PAGE, again.select(memory).copyBytes());
        again.committed();
        RametException e = assertThrows(RametException.class, () -> mode.attach(memory).close());
        assertEquals(ErrorCode.UNSUPPORTED, e.code(), "memory is registered once");
        assertEquals(0, again.select(memory).count());
      }
      assertFalse(registered(tracee));
    }
  }

  @Test
  void deathOfTheTrackerLeavesTheProcessAsItWas() throws Exception {
    tracking().close();
    Path image = image();
    String separator = System.getProperty("path.separator");
    String path =
        String.join(
            separator,
            "target/test-classes",
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""));
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      Set<String> before = tracee.descriptors();
      tracee.command("w 0 64 1");
      Process holder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  // Kept small, because it runs alongside the tests' JVM on a machine with little
                  // memory.
                  "-Xmx64m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  path,
                  Holder.class.getName(),
                  Long.toString(tracee.pid()),
                  Long.toString(tracee.address()),
                  Long.toString((long) PAGES * PAGE))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        int first = holder.getInputStream().read();
        if (first != '!') {
          // A JVM that cannot go on says why there, and ends.
          fail((char) first + new String(holder.getInputStream().readAllBytes(), UTF_8));
        }
        assertTrue(registered(tracee));
        assertEquals(before, tracee.descriptors());
      } finally {
        holder.destroyForcibly().waitFor();
      }
      assertFalse(registered(tracee));
      tracee.command("w 32 64 2");
      try (MemoryTracker tracker = new WriteTracking().attach(memory(tracee, image))) {
        assertEquals(96L * PAGE, tracker.select(memory(tracee, image)).copyBytes());
      }
    }
  }

  /** Tracks a process until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      long length = Long.parseLong(arguments[2]);
      GuestMemory memory =
          new GuestMemory(
              Long.parseLong(arguments[0]),
              length,
              List.of(
                  new MemoryRegion(
                      0, Long.parseLong(arguments[1]), length, MemoryRegion.Kind.PRIVATE_IMAGE)));
      try (MemoryTracker tracker = new WriteTracking().attach(memory)) {
        tracker.select(memory);
        tracker.committed();
        System.out.write('!');
        System.out.flush();
        Thread.sleep(60_000);
      }
    }
  }
}
