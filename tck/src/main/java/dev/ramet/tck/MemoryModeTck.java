// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.memory.Captures;
import dev.ramet.tck.memory.MemoryCapabilityChecks;
import dev.ramet.tck.memory.MemoryDiscardChecks;
import dev.ramet.tck.memory.MemoryFaultedChecks;
import dev.ramet.tck.memory.MemoryHistoryChecks;
import dev.ramet.tck.memory.MemoryHostChecks;
import dev.ramet.tck.memory.MemoryKeptHostChecks;
import dev.ramet.tck.memory.MemoryLayoutChecks;
import dev.ramet.tck.memory.MemoryLifeChecks;
import dev.ramet.tck.memory.MemoryLiveChecks;
import dev.ramet.tck.memory.MemoryWorld;
import dev.ramet.tck.memory.MemoryWriteChecks;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the contract of memory modes, against a small process whose memory stands for a machine's.
 * A mode's test class extends this class:
 *
 * <pre>
 * class MyModeTest extends MemoryModeTck {
 *   &#64;Override
 *   protected MemoryModeProvider provider() {
 *     return new MyProvider();
 *   }
 * }
 * </pre>
 *
 * <p>Every capture is composed over the baseline that the mode names, and compared byte for byte
 * with what the process's memory must hold. A check that this kernel or this mode does not support
 * is aborted with the reason; it fails instead if {@code RAMET_REQUIRE} names the feature or the
 * mode.
 */
@Timeout(900)
public abstract class MemoryModeTck {
  @TempDir private Path directory;
  private @Nullable MemoryWorld world;

  /** Called by the constructors of test classes. */
  protected MemoryModeTck() {}

  /** Returns the provider under test. */
  protected abstract MemoryModeProvider provider();

  @BeforeEach
  final void open() {
    world = new MemoryWorld(provider(), directory);
  }

  @AfterEach
  final void close() {
    if (world != null) {
      world.close();
    }
  }

  MemoryWorld world() {
    if (world == null) {
      throw new IllegalStateException("no check is running");
    }
    return world;
  }

  /** Writes to memory by any writer and in any way. */
  @Nested
  public class Writes extends MemoryWriteChecks {
    /** Called by the kit. */
    public Writes() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** The same writes to memory that is never discarded. */
  @Nested
  class KeptMemory extends MemoryWriteChecks {
    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world().withoutDiscards();
    }
  }

  /** Pages are copied while the machine runs. */
  @Nested
  public class Live extends MemoryLiveChecks {
    /** Called by the kit. */
    public Live() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Memory is returned to the kernel. */
  @Nested
  public class Discards extends MemoryDiscardChecks {
    /** Called by the kit. */
    public Discards() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** The host acts on memory: swapping, huge pages, page migration. */
  @Nested
  public class Host extends MemoryHostChecks {
    /** Called by the kit. */
    public Host() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }

    @Override
    public Captures captures() {
      return world().captures();
    }
  }

  /** The host acts on memory that is never discarded. */
  @Nested
  public class KeptHost extends MemoryKeptHostChecks {
    /** Called by the kit. */
    public KeptHost() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }

    @Override
    public Captures captures() {
      return world().withoutDiscards().captures();
    }
  }

  /** Memory is mapped at various places. */
  @Nested
  public class Layouts extends MemoryLayoutChecks {
    /** Called by the kit. */
    public Layouts() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** A fault handler fills the memory. */
  @Nested
  public class Faulted extends MemoryFaultedChecks {
    /** Called by the kit. */
    public Faulted() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Captures fail, trackers are closed, processes die. */
  @Nested
  public class Lives extends MemoryLifeChecks {
    /** Called by the kit. */
    public Lives() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Long random histories of all operations. */
  @Nested
  class Histories extends MemoryHistoryChecks {
    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** A stated capability holds, and one that is not stated is absent. */
  @Nested
  public class Capabilities extends MemoryCapabilityChecks {
    /** Called by the kit. */
    public Capabilities() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }
}
