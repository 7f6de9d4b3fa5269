// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.bytecopy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ByteCopyProviderTest {
  private final Path dir;
  private final ByteCopyProvider provider = new ByteCopyProvider();

  ByteCopyProviderTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void worksAnywhereAndLeavesNoTrace() throws Exception {
    ProbeResult.Usable usable =
        assertInstanceOf(ProbeResult.Usable.class, provider.probe(new ProbeContext(dir)));
    assertEquals(provider.atBest(), usable.facts());
    assertEquals(
        Set.of("grow", "image-transfer", "inspection", "volume-reuse"), usable.facts().names());
    assertTrue(usable.evidence().containsKey("file-system"));
    assertEquals(0, dir.toFile().list().length);
  }

  @Test
  void saysWhyNot() {
    ProbeResult.Unusable absent =
        assertInstanceOf(
            ProbeResult.Unusable.class, provider.probe(new ProbeContext(dir.resolve("absent"))));
    assertEquals("no such directory", absent.reason());
    try (LoopFs fs = LoopFs.tmpfs(dir, 1 << 20)) {
      fs.remount("ro");
      ProbeResult.Unusable readOnly =
          assertInstanceOf(ProbeResult.Unusable.class, provider.probe(new ProbeContext(fs.root())));
      assertEquals("read-only", readOnly.reason());
      fs.remount("rw,size=64k");
      ProbeResult.Unusable full =
          assertInstanceOf(ProbeResult.Unusable.class, provider.probe(new ProbeContext(fs.root())));
      assertEquals("no space left", full.reason());
      assertEquals(0, fs.root().toFile().list().length);
    }
  }

  @Test
  void isAService() {
    assertTrue(
        ByteCopyProvider.class.getModule().getDescriptor().provides().stream()
            .filter(service -> service.service().equals(StorageBackendProvider.class.getName()))
            .anyMatch(service -> service.providers().contains(ByteCopyProvider.class.getName())));
  }
}
