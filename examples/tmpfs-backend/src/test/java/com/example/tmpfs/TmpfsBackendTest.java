// SPDX-License-Identifier: Apache-2.0
package com.example.tmpfs;

import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StorageHarness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs the whole contract on a tmpfs, which every Linux system has. */
class TmpfsBackendTest extends StorageBackendTck {
  @Override
  protected StorageHarness harness(Path scratch) throws Exception {
    return new OnTmpfs(Files.createTempDirectory(Path.of("/dev/shm"), "ramet-tck-"));
  }

  private record OnTmpfs(Path root) implements StorageHarness {
    @Override
    public StorageBackendProvider provider() {
      return new TmpfsProvider();
    }

    /** Lets the kit kill the backend before each of its changes. */
    @Override
    public Optional<StepControl> steps() {
      return Optional.of(this::open);
    }

    private StorageBackend open(StepControl.Observer observer) {
      return TmpfsBackend.open(root, observer::before);
    }

    @Override
    public void close() {
      try (Stream<Path> all = Files.walk(root)) {
        List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        for (Path path : deepestFirst) {
          Files.delete(path);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
