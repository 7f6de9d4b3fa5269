// SPDX-License-Identifier: Apache-2.0
package com.example.faulty;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.image.CopyCost;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import java.util.ServiceLoader;

/** Wraps the host's reflink-xfs backend in a saboteur. */
public final class FaultyStorage implements StorageBackendProvider {
  /** Does nothing. */
  public FaultyStorage() {}

  private static StorageBackendProvider real() {
    return Saboteur.real(ServiceLoader.load(ModuleLayer.boot(), StorageBackendProvider.class), "reflink-xfs");
  }

  @Override
  public String id() {
    return "faulty-storage";
  }

  @Override
  public StorageFacts atBest() {
    return Saboteur.isBetter()
        ? new StorageFacts(
            CopyCost.CONSTANT, false, false, real().atBest().features())
        : real().atBest();
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return Saboteur.stating(atBest(), real().probe(where));
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    return Saboteur.before(StorageBackend.class, real().open(where));
  }
}
