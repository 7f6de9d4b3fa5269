// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.memory.Captures;
import dev.ramet.tck.memory.MemoryCapabilityChecks;
import dev.ramet.tck.memory.MemoryDiscardChecks;
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
 * The contract of memory modes as tests, against a small process whose memory stands for a
 * machine's. A mode's test class extends it:
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
 * <p>Every capture is composed over the baseline that the mode names, and compared with what the
 * process's memory must hold, byte for byte. A check that this kernel cannot take part in, or whose
 * mode it cannot do, is aborted with the reason, and fails instead where {@code RAMET_REQUIRE}
 * names the feature or the mode.
 */
@Timeout(120)
public abstract class MemoryModeTck {
  @TempDir private Path directory;
  private @Nullable MemoryWorld world;

  /** For test classes. */
  protected MemoryModeTck() {}

  /** The provider under test. */
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

  /** Whoever writes to memory, and however. */
  @Nested
  public class Writes extends MemoryWriteChecks {
    /** For the kit. */
    public Writes() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** The same writes to memory of which nothing is ever discarded. */
  @Nested
  class KeptMemory extends MemoryWriteChecks {
    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world().withoutDiscards();
    }
  }

  /** Pages that are copied while the machine runs. */
  @Nested
  public class Live extends MemoryLiveChecks {
    /** For the kit. */
    public Live() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Memory that was given back. */
  @Nested
  public class Discards extends MemoryDiscardChecks {
    /** For the kit. */
    public Discards() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** What the host does to memory: swap, huge pages, moves. */
  @Nested
  public class Host extends MemoryHostChecks {
    /** For the kit. */
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

  /** The same host, and memory of which nothing is ever discarded. */
  @Nested
  public class KeptHost extends MemoryKeptHostChecks {
    /** For the kit. */
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

  /** Where memory is mapped. */
  @Nested
  public class Layouts extends MemoryLayoutChecks {
    /** For the kit. */
    public Layouts() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Failed captures, ended trackers, dead processes. */
  @Nested
  public class Lives extends MemoryLifeChecks {
    /** For the kit. */
    public Lives() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Everything at random, for long. */
  @Nested
  class Histories extends MemoryHistoryChecks {
    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** What is stated is kept, and what is not stated is not done. */
  @Nested
  public class Capabilities extends MemoryCapabilityChecks {
    /** For the kit. */
    public Capabilities() {}

    @Override
    public MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }
}
