// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;

/** A provider that does what another one does, where a subclass does not differ. */
class ForwardingProvider implements StorageBackendProvider {
  private final StorageBackendProvider other;

  ForwardingProvider(StorageBackendProvider other) {
    this.other = other;
  }

  @Override
  public String id() {
    return other.id();
  }

  @Override
  public StorageFacts atBest() {
    return other.atBest();
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return other.probe(where);
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    return other.open(where);
  }
}
