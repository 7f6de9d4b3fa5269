// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.disk.Steps;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.settings.Settings;
import dev.ramet.testing.Require;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the probe, its cleanup and the settings of the provider. */
class DmSnapshotProviderTest {
  private final Path dir;

  DmSnapshotProviderTest(@TempDir Path dir) {
    this.dir = dir;
  }

  private static boolean kernelHasIt() {
    return Files.exists(Path.of("/sys/class/misc/device-mapper"));
  }

  private void assertNothingLeft() throws Exception {
    try (Stream<Path> entries = Files.list(dir)) {
      assertEquals(0, entries.count());
    }
    if (kernelHasIt()) {
      assertEquals(List.of(), Root.devices());
    }
  }

  @Test
  void theProbeSaysWhatTheKernelCan() throws Exception {
    ProbeResult result = new DmSnapshotProvider().probe(new ProbeContext(dir));
    if (kernelHasIt()) {
      ProbeResult.Usable usable =
          assertInstanceOf(ProbeResult.Usable.class, result, result::toString);
      assertTrue(usable.facts().names().contains("copy-on-write"));
      assertTrue(usable.evidence().containsKey("snapshot-micros"));
    } else {
      ProbeResult.Unusable unusable =
          assertInstanceOf(ProbeResult.Unusable.class, result, result::toString);
      assertFalse(unusable.remedy().isBlank());
      RametException e =
          assertThrows(
              RametException.class, () -> new DmSnapshotProvider().open(new ProbeContext(dir)));
      assertEquals(ErrorCode.HOST_UNFIT, e.code());
    }
    assertNothingLeft();
  }

  /** Kills probes before some of their steps; the next probe must work and leave nothing behind. */
  @Test
  void whatAKilledProbeLeavesGoesWithTheNextOne() throws Exception {
    Require.feature("dm", kernelHasIt(), "the kernel has no device-mapper");
    int[] steps = {0};
    DmProbe.run(dir, step -> steps[0]++, opened -> {});
    int devices = 0;
    for (int kill = 0; kill < steps[0]; kill += 4) {
      int[] left = {kill};
      List<DmSnapshotBackend> opened = new ArrayList<>();
      Steps deadly =
          step -> {
            if (left[0]-- <= 0) {
              throw new Killed();
            }
          };
      assertThrows(Killed.class, () -> DmProbe.run(dir, deadly, opened::add));
      opened.forEach(DmSnapshotBackend::abandon);
      devices += Root.devices().size();
      if (kill % 8 == 0) {
        assertInstanceOf(ProbeResult.Usable.class, DmProbe.run(dir));
      } else {
        DmProbe.removeLeftovers(dir);
      }
      assertEquals(List.of(), Root.devices(), "killed before step " + kill);
    }
    assertTrue(devices > 0, "some were killed while there were devices");
  }

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void badSettingsAreRefused() throws Exception {
    for (String bad : List.of("0", "-1", "many", "")) {
      RametException e =
          assertThrows(
              RametException.class,
              () ->
                  new DmSnapshotProvider()
                      .open(new ProbeContext(dir, Settings.of(Map.of("reserve-bytes", bad)))));
      assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }
    assertNothingLeft();
  }
}
