// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import dev.ramet.spi.memory.MemoryModeProvider;
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
  class Writes extends MemoryWriteChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** The same writes to memory of which nothing is ever discarded. */
  @Nested
  class KeptMemory extends MemoryWriteChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world().withoutDiscards();
    }
  }

  /** Pages that are copied while the machine runs. */
  @Nested
  class Live extends MemoryLiveChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Memory that was given back. */
  @Nested
  class Discards extends MemoryDiscardChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** What the host does to memory: swap, huge pages, moves. */
  @Nested
  class Host extends MemoryHostChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }

    @Override
    Captures captures() {
      return world().captures();
    }
  }

  /** The same host, and memory of which nothing is ever discarded. */
  @Nested
  class KeptHost extends MemoryKeptHostChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }

    @Override
    Captures captures() {
      return world().withoutDiscards().captures();
    }
  }

  /** Where memory is mapped. */
  @Nested
  class Layouts extends MemoryLayoutChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Failed captures, ended trackers, dead processes. */
  @Nested
  class Lives extends MemoryLifeChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** Everything at random, for long. */
  @Nested
  class Histories extends MemoryHistoryChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }

  /** What is stated is kept, and what is not stated is not done. */
  @Nested
  class Capabilities extends MemoryCapabilityChecks {
    @Override
    MemoryWorld world() {
      return MemoryModeTck.this.world();
    }
  }
}
