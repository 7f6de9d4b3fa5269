// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.write;

import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A root of a backend under test, with a volume and a snapshot that an earlier process left behind.
 */
abstract class RootContract {
  static final long SIZE = 1 << 20;
  static final NodeId V = NodeId.of("v");
  static final NodeId S = NodeId.of("s");

  @TempDir private Path dir;
  Place place;
  StorageBackend backend;

  /** Returns the backend under test. */
  protected abstract StorageBackendProvider provider();

  /** Returns a file system that suits it. */
  protected abstract LoopFs fileSystem(Path directory);

  @BeforeEach
  void open() {
    place = new Place(provider(), fileSystem(dir));
    backend = place.backend();
    backend.create(V, SIZE);
    write(backend, V, 3, '1');
    backend.snapshot(V, S, Durability.DURABLE);
  }

  @AfterEach
  void close() {
    // Not there on a host without what the backend needs.
    if (place != null) {
      place.close();
    }
  }

  static FileAttribute<?> mode(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }
}
