// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.SandboxRecord;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MemoryModesTest {
  @TempDir Path root;

  private static final class FakeMode implements MemoryMode {
    @Override
    public MemoryTracker attach(GuestMemory memory) {
      throw new IllegalStateException("only chosen here, never used");
    }

    @Override
    public void close() {}
  }

  private static MemoryModes modes(@Nullable String forced, String... ids) {
    Map<String, MemoryMode> usable = new java.util.HashMap<>();
    for (String id : ids) {
      usable.put(id, new FakeMode());
    }
    return new MemoryModes(usable, Map.of("incremental", "no pagemap"), forced);
  }

  private static SandboxRecord.Machine machine(@Nullable String base) {
    return new SandboxRecord.Machine(1, 1, 1 << 20, "", false, "", base, null);
  }

  @Test
  void fallsBackToFullWithTheReason() {
    SnapshotStore store = new SnapshotStore(new Layout(root));
    MemoryModes both = modes(null, "full", "incremental");
    MemoryModes.Choice booted = both.choose(machine(null), store);
    assertEquals("full", booted.id());
    assertTrue(booted.reason().contains("booted"));
    assertNull(booted.base());
    MemoryModes.Choice gone = both.choose(machine("s1"), store);
    assertEquals("full", gone.id());
    assertTrue(gone.reason().contains("is gone"));
  }

  @Test
  void aForcedModeThatCannotWorkIsAnError() {
    SnapshotStore store = new SnapshotStore(new Layout(root));
    RametException refused =
        assertThrows(
            RametException.class,
            () -> modes("incremental", "full", "incremental").choose(machine(null), store));
    assertEquals(ErrorCode.UNSUPPORTED, refused.code());
    assertEquals("full", modes("full", "full", "incremental").choose(machine(null), store).id());
  }
}
