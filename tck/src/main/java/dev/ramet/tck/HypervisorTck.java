// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import dev.ramet.tck.hypervisor.HypervisorHarness;
import dev.ramet.tck.hypervisor.MachineCapabilityChecks;
import dev.ramet.tck.hypervisor.MachineConcurrencyChecks;
import dev.ramet.tck.hypervisor.MachineDeathChecks;
import dev.ramet.tck.hypervisor.MachineLifeChecks;
import dev.ramet.tck.hypervisor.MachineRefusalChecks;
import dev.ramet.tck.hypervisor.MachineRestoreChecks;
import dev.ramet.tck.hypervisor.MachineWorld;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of hypervisor drivers as tests. A driver's test class extends it:
 *
 * <pre>
 * class MyDriverTest extends HypervisorTck {
 *   &#64;Override
 *   protected HypervisorHarness harness(Path scratch) {
 *     return new MyHarness(scratch);
 *   }
 * }
 * </pre>
 *
 * <p>Each check has a driver and machines of its own, small ones whose guest does nothing but
 * count.
 */
@Timeout(120)
public abstract class HypervisorTck {
  @TempDir private Path directory;
  private @Nullable MachineWorld world;

  /** For test classes. */
  protected HypervisorTck() {}

  /**
   * The hypervisor under test.
   *
   * @param scratch an empty directory that is removed afterwards
   */
  protected abstract HypervisorHarness harness(Path scratch) throws Exception;

  @BeforeEach
  final void open() throws Exception {
    Path real = directory.toRealPath();
    world = new MachineWorld(harness(real), real);
  }

  @AfterEach
  final void close() throws IOException {
    if (world != null) {
      world.close();
    }
  }

  MachineWorld world() {
    if (world == null) {
      throw new IllegalStateException("no check is running");
    }
    return world;
  }

  /** From the first instruction to the last. */
  @Nested
  public class Lives extends MachineLifeChecks {
    /** For the kit. */
    public Lives() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Machines that go on from what was saved. */
  @Nested
  public class Restores extends MachineRestoreChecks {
    /** For the kit. */
    public Restores() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** What cannot be is refused, and leaves nothing. */
  @Nested
  public class Refusals extends MachineRefusalChecks {
    /** For the kit. */
    public Refusals() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Processes that end, and hosts. */
  @Nested
  public class Deaths extends MachineDeathChecks {
    /** For the kit. */
    public Deaths() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Many callers at once. */
  @Nested
  class Concurrency extends MachineConcurrencyChecks {
    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** What is stated is kept, and what is not stated is not done. */
  @Nested
  public class Capabilities extends MachineCapabilityChecks {
    /** For the kit. */
    public Capabilities() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }
}
