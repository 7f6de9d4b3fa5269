// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of storage backends as tests. A backend's test class extends it:
 *
 * <pre>
 * class MyBackendTest extends StorageBackendTck {
 *   &#64;Override
 *   protected StorageHarness harness(Path scratch) {
 *     return StorageHarness.in(scratch, new MyProvider());
 *   }
 * }
 * </pre>
 *
 * <p>Every check gets a harness of its own. A check whose harness cannot do what it takes (fill the
 * disk, step through an operation) is aborted with the reason, and fails instead where {@code
 * RAMET_REQUIRE} insists.
 */
public abstract class StorageBackendTck {
  @TempDir private Path directory;
  private @Nullable World world;

  /** For test classes. */
  protected StorageBackendTck() {}

  /**
   * Sets up the backend under test.
   *
   * @param scratch an empty directory that is removed after the check
   */
  protected abstract StorageHarness harness(Path scratch) throws Exception;

  @BeforeEach
  final void open() throws Exception {
    Path scratch = directory.resolve("scratch");
    Path own = directory.resolve("own");
    java.nio.file.Files.createDirectory(scratch);
    java.nio.file.Files.createDirectory(own);
    world = new World(harness(own), scratch);
  }

  @AfterEach
  final void close() {
    if (world != null) {
      world.close();
    }
  }

  World world() {
    if (world == null) {
      throw new IllegalStateException("no check is running");
    }
    return world;
  }

  /** Nodes come into being, change their kind and tell what they are. */
  @Nested
  class Nodes extends NodeChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** No node sees what is written to another. */
  @Nested
  class Isolation extends IsolationChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Nodes go in any order. */
  @Nested
  class Deletion extends DeletionChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Names are one flat space. */
  @Nested
  class Names extends NameChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Many threads at once. */
  @Nested
  class Concurrency extends ConcurrencyChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** What a root holds survives its opener. */
  @Nested
  class Reopening extends ReopenChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A root that nobody has is looked at, where the provider does that. */
  @Nested
  class Examination extends ExaminationChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A kill at any moment leaves each operation done or not done. */
  @Nested
  class Crashes extends CrashChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A host that is full, read-only or closed to us. */
  @Nested
  class Host extends HostChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** What is stated is kept, and what is not stated is not there. */
  @Nested
  class Capabilities extends CapabilityChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Copies made ahead, where the backend makes them. */
  @Nested
  class Preparation extends PreparationChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots of volumes whose writer tells what it wrote. */
  @Nested
  class WriteLogs extends WriteLogChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots laid out anew, where the backend does that. */
  @Nested
  class Compacting extends CompactionChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots that become volumes, where the backend does that. */
  @Nested
  class Reuse extends ReuseChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Images come in and go out. */
  @Nested
  class Transfers extends TransferChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Directory trees, where the backend captures them. */
  @Nested
  class Trees extends TreeChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Trees beside other threads and after kills, where the backend captures them. */
  @Nested
  class TreeLives extends TreeLifeChecks {
    @Override
    World world() {
      return StorageBackendTck.this.world();
    }
  }
}
