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
 * Gives the kit a provider, a root for it, and control over the root's host. The author of a
 * backend implements it. The kit creates one for every check and always closes it afterwards.
 */
public interface StorageHarness extends AutoCloseable {
  /**
   * Returns the provider under test. For checks in another process, its class has a public
   * constructor.
   */
  StorageBackendProvider provider();

  /**
   * Returns an existing empty directory on a file system that suits the backend; the same every
   * time.
   */
  Path root();

  /** Returns the context the backend is opened with. */
  default ProbeContext context() {
    return new ProbeContext(root());
  }

  /** Returns the access to the bytes of nodes. */
  default NodeIo io() {
    return NodeIo.FILES;
  }

  /**
   * Begins a write within a node's size, which ends when {@link UnderWay#end} is called. Until then
   * nothing of it may be visible but a changed modification time, as with a write that waits for
   * its device. Where that is not possible, the write begins when it ends.
   */
  default UnderWay begin(Attachment node, long offset, byte[] bytes) throws IOException {
    return () -> io().write(node, offset, bytes);
  }

  /** A write in flight. */
  interface UnderWay {
    /** Ends the write; called once. All of it is visible afterwards. */
    void end() throws IOException;
  }

  /**
   * Returns everything in the root, whether the backend knows of it or not, as a text that is equal
   * when nothing has changed. By default it lists names, sizes and permissions of files; a backend
   * that keeps state elsewhere, such as devices, adds it.
   */
  default String traces() {
    return Traces.of(root());
  }

  /** Returns the control over the host, if there is any. */
  default Optional<HostControl> host() {
    return Optional.empty();
  }

  /** Returns the control over the cache of a backend whose images are kept elsewhere, if any. */
  default Optional<RemoteControl> remote() {
    return Optional.empty();
  }

  /** Returns step-by-step opening, if the backend supports it. */
  default Optional<StepControl> steps() {
    return Optional.empty();
  }

  /**
   * Returns whether another process that opens the root finds the same nodes: false for a backend
   * in the heap.
   */
  default boolean outlivesProcess() {
    return true;
  }

  /** Removes the root and everything that was set up for it. */
  @Override
  void close();

  /** Creates a harness for a backend in a plain directory, which the calling test removes. */
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
        // The directory belongs to the caller.
      }
    };
  }
}
