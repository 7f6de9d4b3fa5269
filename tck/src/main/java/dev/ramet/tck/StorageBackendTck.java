// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.storage.check.CapabilityChecks;
import dev.ramet.tck.storage.check.ConcurrencyChecks;
import dev.ramet.tck.storage.check.DeletionChecks;
import dev.ramet.tck.storage.check.ExaminationChecks;
import dev.ramet.tck.storage.check.IsolationChecks;
import dev.ramet.tck.storage.check.NameChecks;
import dev.ramet.tck.storage.check.NodeChecks;
import dev.ramet.tck.storage.check.RemoteChecks;
import dev.ramet.tck.storage.check.ReopenChecks;
import dev.ramet.tck.storage.check.ReuseChecks;
import dev.ramet.tck.storage.check.TransferChecks;
import dev.ramet.tck.storage.check.TreeChecks;
import dev.ramet.tck.storage.check.WriteLogChecks;
import dev.ramet.tck.storage.crash.CompactionChecks;
import dev.ramet.tck.storage.crash.CrashChecks;
import dev.ramet.tck.storage.crash.HostChecks;
import dev.ramet.tck.storage.crash.PreparationChecks;
import dev.ramet.tck.storage.crash.TreeLifeChecks;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the contract of storage backends. A backend's test class extends this class:
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
 * <p>Every check gets its own harness. A check that needs something its harness cannot do (fill the
 * disk, step through an operation) is aborted with the reason; it fails instead if {@code
 * RAMET_REQUIRE} names that feature.
 */
public abstract class StorageBackendTck {
  @TempDir private Path directory;
  private @Nullable World world;

  /** Called by the constructors of test classes. */
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

  /** Nodes are created, change their kind and report their properties. */
  @Nested
  public class Nodes extends NodeChecks {
    /** Called by the kit. */
    public Nodes() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** No node sees what is written to another. */
  @Nested
  public class Isolation extends IsolationChecks {
    /** Called by the kit. */
    public Isolation() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Nodes can be deleted in any order. */
  @Nested
  class Deletion extends DeletionChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** All nodes share one flat namespace. */
  @Nested
  class Names extends NameChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Many threads use the backend at once. */
  @Nested
  public class Concurrency extends ConcurrencyChecks {
    /** Called by the kit. */
    public Concurrency() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** The content of a root outlives the process that opened it. */
  @Nested
  class Reopening extends ReopenChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A root that is not in use is examined, if the provider supports that. */
  @Nested
  public class Examination extends ExaminationChecks {
    /** Called by the kit. */
    public Examination() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A kill at any moment leaves each operation done or not done. */
  @Nested
  public class Crashes extends CrashChecks {
    /** Called by the kit. */
    public Crashes() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** The host's file system is full, read-only or not accessible. */
  @Nested
  public class Host extends HostChecks {
    /** Called by the kit. */
    public Host() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A stated capability holds, and one that is not stated is absent. */
  @Nested
  public class Capabilities extends CapabilityChecks {
    /** Called by the kit. */
    public Capabilities() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Copies are prepared in advance, if the backend supports that. */
  @Nested
  class Preparation extends PreparationChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots are taken of volumes whose writes are logged. */
  @Nested
  public class WriteLogs extends WriteLogChecks {
    /** Called by the kit. */
    public WriteLogs() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots are compacted, if the backend supports that. */
  @Nested
  class Compacting extends CompactionChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots become volumes, if the backend supports that. */
  @Nested
  public class Reuse extends ReuseChecks {
    /** Called by the kit. */
    public Reuse() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Images are imported and exported. */
  @Nested
  public class Transfers extends TransferChecks {
    /** Called by the kit. */
    public Transfers() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Images are fetched when they are read, if the backend keeps them elsewhere. */
  @Nested
  public class Remote extends RemoteChecks {
    /** Called by the kit. */
    public Remote() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Directory trees are captured, if the backend supports that. */
  @Nested
  class Trees extends TreeChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Trees are used by several threads and survive kills, if the backend captures trees. */
  @Nested
  public class TreeLives extends TreeLifeChecks {
    /** Called by the kit. */
    public TreeLives() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }
}
