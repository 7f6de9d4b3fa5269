// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.disk.Steps;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.root.RootExamination;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The provider under test, which merges as fast as it can and lets tests wait for that: the content
 * of a root can be compared only afterwards.
 */
public final class SettledProvider implements StorageBackendProvider, RootExamination {
  static final long FAST = 1L << 40;

  private static final Map<Path, DmSnapshotBackend> OPENED = new ConcurrentHashMap<>();

  private final DmSnapshotProvider provider = new DmSnapshotProvider();

  /** Public because the test kit's other processes also call it. */
  public SettledProvider() {}

  /** Waits until a root has no background work left. */
  static void settle(Path root) {
    DmSnapshotBackend backend = OPENED.get(real(root));
    try {
      if (backend != null) {
        backend.awaitMerges();
      }
    } catch (InterruptedException e) {
      // Some checks interrupt themselves.
      Thread.currentThread().interrupt();
    }
  }

  static void forget(Path root) {
    OPENED.remove(real(root));
  }

  private static Path real(Path root) {
    try {
      return root.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String id() {
    return provider.id();
  }

  @Override
  public StorageFacts atBest() {
    return provider.atBest();
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return provider.probe(where);
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    DmSnapshotBackend backend = DmSnapshotProvider.open(where.root(), FAST, 0, Steps.NONE);
    OPENED.put(real(where.root()), backend);
    return backend;
  }

  @Override
  public StorageBackend examine(ProbeContext where) {
    return provider.examine(where);
  }
}
