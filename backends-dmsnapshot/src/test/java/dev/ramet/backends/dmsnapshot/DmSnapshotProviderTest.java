// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageCapabilities;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
      assertTrue(usable.capabilities().contains(StorageCapabilities.COPY_ON_WRITE));
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

  @Test
  void badSettingsAreRefused() throws Exception {
    for (String bad : List.of("0", "-1", "many", "")) {
      RametException e =
          assertThrows(
              RametException.class,
              () ->
                  new DmSnapshotProvider()
                      .open(new ProbeContext(dir, Map.of("reserve-bytes", bad))));
      assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }
    assertNothingLeft();
  }
}
