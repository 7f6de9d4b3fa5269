// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.testing.Features;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Checks the backend against the contract of storage backends, on real devices. */
class DmSnapshotTest extends StorageBackendTck {
  private static @Nullable LoopFs fs;

  /** Creates one file system for all checks, because that takes longer than most of them. */
  @BeforeAll
  static void makeFileSystem(@TempDir Path directory) {
    Features.deviceMapper();
    fs = LoopFs.ext4(directory, 192 << 20);
  }

  @AfterAll
  static void removeFileSystem() throws Exception {
    if (fs != null) {
      fs.close();
      assertEquals(List.of(), Root.devices());
    }
  }

  @Override
  protected StorageHarness harness(Path scratch) throws Exception {
    if (fs == null) {
      throw new IllegalStateException("no file system");
    }
    return new DmHarness(fs);
  }
}
