// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.tck.support.Traces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What an author gives the kit: a provider, a root for it, and what can be done to the root's host.
 * The kit makes one for every check and closes it after it, whatever happened.
 */
public interface StorageHarness extends AutoCloseable {
  /** The provider under test. For checks in another process, its class has a public constructor. */
  StorageBackendProvider provider();

  /** An existing empty directory on a file system that suits the backend; the same every time. */
  Path root();

  /** How the backend is opened. */
  default ProbeContext context() {
    return new ProbeContext(root());
  }

  /** How the bytes of nodes are reached. */
  default NodeIo io() {
    return NodeIo.FILES;
  }

  /**
   * Begins a write within a node's size, which ends when that is told: until then nothing of it may
   * be there but a changed time of modification, as with a write that waits for its device. Where
   * that cannot be had, it begins when it ends.
   */
  default UnderWay begin(Attachment node, long offset, byte[] bytes) throws IOException {
    return () -> io().write(node, offset, bytes);
  }

  /** A write that has begun. */
  interface UnderWay {
    /** Once: all of it is there then. */
    void end() throws IOException;
  }

  /**
   * All that there is in the root, whether the backend knows of it or not, as a text that is equal
   * when nothing has changed. Names, sizes and permissions of files by default; a backend that
   * keeps state elsewhere, such as devices, adds it.
   */
  default String traces() {
    return Traces.of(root());
  }

  /** Power over the host, if there is any. */
  default Optional<HostControl> host() {
    return Optional.empty();
  }

  /** Step by step opening, if the backend can. */
  default Optional<StepControl> steps() {
    return Optional.empty();
  }

  /** Whether another process that opens the root finds the same nodes: false in the heap. */
  default boolean outlivesProcess() {
    return true;
  }

  /** Removes the root and all that was set up for it. */
  @Override
  void close();

  /** A backend in a plain directory, which the test that made it removes. */
  static StorageHarness in(Path directory, StorageBackendProvider provider) {
    return new StorageHarness() {
      @Override
      public StorageBackendProvider provider() {
        return provider;
      }

      @Override
      public Path root() {
        return directory;
      }

      @Override
      public void close() {
        // The directory is its maker's.
      }
    };
  }
}
