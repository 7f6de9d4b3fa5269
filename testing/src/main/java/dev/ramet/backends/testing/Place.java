// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

/** A backend with its own file system. */
final class Place implements AutoCloseable {
  private final StorageBackendProvider provider;
  private final LoopFs fs;
  private StorageBackend backend;

  Place(StorageBackendProvider provider, LoopFs fs) {
    this.provider = provider;
    this.fs = fs;
    boolean done = false;
    try {
      this.backend = provider.open(new ProbeContext(fs.root()));
      done = true;
    } finally {
      if (!done) {
        fs.close();
      }
    }
  }

  StorageBackend backend() {
    return backend;
  }

  LoopFs fs() {
    return fs;
  }

  Path volumes() {
    return fs.root().resolve("volumes");
  }

  /** Closes the backend, lets something happen to its files, and opens it again. */
  StorageBackend reopen(Tampering tampering) throws Exception {
    backend.close();
    tampering.run(volumes());
    backend = provider.open(new ProbeContext(fs.root()));
    return backend;
  }

  StorageBackend reopen() throws Exception {
    return reopen(volumes -> {});
  }

  /** A change made while the backend is closed. */
  interface Tampering {
    void run(Path volumes) throws Exception;
  }

  @Override
  public void close() {
    backend.close();
    fs.close();
  }
}
