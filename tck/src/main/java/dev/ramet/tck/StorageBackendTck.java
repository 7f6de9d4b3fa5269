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
  public class Nodes extends NodeChecks {
    /** For the kit. */
    public Nodes() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** No node sees what is written to another. */
  @Nested
  public class Isolation extends IsolationChecks {
    /** For the kit. */
    public Isolation() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Nodes go in any order. */
  @Nested
  class Deletion extends DeletionChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Names are one flat space. */
  @Nested
  class Names extends NameChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Many threads at once. */
  @Nested
  public class Concurrency extends ConcurrencyChecks {
    /** For the kit. */
    public Concurrency() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** What a root holds survives its opener. */
  @Nested
  class Reopening extends ReopenChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A root that nobody has is looked at, where the provider does that. */
  @Nested
  public class Examination extends ExaminationChecks {
    /** For the kit. */
    public Examination() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A kill at any moment leaves each operation done or not done. */
  @Nested
  public class Crashes extends CrashChecks {
    /** For the kit. */
    public Crashes() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** A host that is full, read-only or closed to us. */
  @Nested
  public class Host extends HostChecks {
    /** For the kit. */
    public Host() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** What is stated is kept, and what is not stated is not there. */
  @Nested
  public class Capabilities extends CapabilityChecks {
    /** For the kit. */
    public Capabilities() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Copies made ahead, where the backend makes them. */
  @Nested
  class Preparation extends PreparationChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots of volumes whose writer tells what it wrote. */
  @Nested
  public class WriteLogs extends WriteLogChecks {
    /** For the kit. */
    public WriteLogs() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots laid out anew, where the backend does that. */
  @Nested
  class Compacting extends CompactionChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Snapshots that become volumes, where the backend does that. */
  @Nested
  public class Reuse extends ReuseChecks {
    /** For the kit. */
    public Reuse() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Images come in and go out. */
  @Nested
  public class Transfers extends TransferChecks {
    /** For the kit. */
    public Transfers() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Directory trees, where the backend captures them. */
  @Nested
  class Trees extends TreeChecks {
    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }

  /** Trees beside other threads and after kills, where the backend captures them. */
  @Nested
  public class TreeLives extends TreeLifeChecks {
    /** For the kit. */
    public TreeLives() {}

    @Override
    public World world() {
      return StorageBackendTck.this.world();
    }
  }
}
