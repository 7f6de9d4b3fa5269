// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.workingset.WorkingSet;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RemoteImages;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.reference.ReferenceHarness;
import dev.ramet.tck.reference.remote.RemoteHarness;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests where restored machines get memory from whose image is not on this host. */
class RemoteMemoryTest {
  private static final long BYTES = 64L << 20;
  private static final NodeId IMAGE = Layout.snapshotMemory("s0123456789abcdefghi");

  @TempDir private Path directory;

  private static StorageBackend withImage(ReferenceHarness harness) {
    StorageBackend storage = harness.provider().open(new ProbeContext(harness.root()));
    storage.create(IMAGE, BYTES);
    storage.seal(IMAGE, Durability.DURABLE);
    return storage;
  }

  @Test
  void aHandlerIsUsedWhereBothSidesKnowOne() throws IOException {
    RemoteHarness remote = new RemoteHarness(directory).start();
    try (StorageBackend storage = withImage(remote)) {
      assertInstanceOf(MemorySource.FaultHandler.class, new RestoreMemory(storage, true).of(IMAGE));
      RametException e =
          assertThrows(RametException.class, () -> new RestoreMemory(storage, false).of(IMAGE));
      assertEquals(ErrorCode.UNSUPPORTED, e.code());
    } finally {
      remote.close();
    }
  }

  @Test
  void aLocalImageIsMapped() {
    ReferenceHarness local = new ReferenceHarness(directory);
    try (StorageBackend storage = withImage(local)) {
      for (boolean handlers : new boolean[] {false, true}) {
        assertEquals(
            new MemorySource.MappedImage(storage.attach(IMAGE).path()),
            new RestoreMemory(storage, handlers).of(IMAGE));
      }
    }
  }

  /** A working set that came with a snapshot is fetched, and no more than it. */
  @Test
  void aWorkingSetIsFetched() throws IOException {
    RemoteHarness remote = new RemoteHarness(directory).start();
    try (StorageBackend storage = withImage(remote)) {
      remote.remote().orElseThrow().forget(IMAGE);
      RemoteImages images = (RemoteImages) storage;
      WorkingSet.Builder set = new WorkingSet.Builder("s0123456789abcdefghi", BYTES);
      set.add(0, 8 << 10);
      set.add(8 << 20, 4 << 10);
      RemotePrefetch.fetch(storage, IMAGE, null);
      assertEquals(0, images.residentBytes(IMAGE));
      RemotePrefetch.fetch(storage, IMAGE, set.build());
      assertEquals(12 << 10, images.residentBytes(IMAGE));
    } finally {
      remote.close();
    }
  }
}
