// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import dev.ramet.tck.hypervisor.HypervisorHarness;
import dev.ramet.tck.hypervisor.MachineAttachmentChecks;
import dev.ramet.tck.hypervisor.MachineCapabilityChecks;
import dev.ramet.tck.hypervisor.MachineConcurrencyChecks;
import dev.ramet.tck.hypervisor.MachineDeathChecks;
import dev.ramet.tck.hypervisor.MachineFactsChecks;
import dev.ramet.tck.hypervisor.MachineLifeChecks;
import dev.ramet.tck.hypervisor.MachineLogChecks;
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
 * Tests the contract of hypervisor drivers. A driver's test class extends this class:
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
 * <p>Each check has its own driver and its own small machines, whose guest only counts.
 */
@Timeout(900)
public abstract class HypervisorTck {
  @TempDir private Path directory;
  private @Nullable MachineWorld world;

  /** Called by the constructors of test classes. */
  protected HypervisorTck() {}

  /**
   * Returns the hypervisor under test.
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

  /** The life of a machine, from its first instruction to its last. */
  @Nested
  public class Lives extends MachineLifeChecks {
    /** Called by the kit. */
    public Lives() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Restored machines continue from the saved state. */
  @Nested
  public class Restores extends MachineRestoreChecks {
    /** Called by the kit. */
    public Restores() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Invalid requests are refused and leave nothing behind. */
  @Nested
  public class Refusals extends MachineRefusalChecks {
    /** Called by the kit. */
    public Refusals() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Disks and memory are reached in various ways. */
  @Nested
  public class Attachments extends MachineAttachmentChecks {
    /** Called by the kit. */
    public Attachments() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Machine processes die, and hosts restart. */
  @Nested
  public class Deaths extends MachineDeathChecks {
    /** Called by the kit. */
    public Deaths() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Many callers use the driver at once. */
  @Nested
  class Concurrency extends MachineConcurrencyChecks {
    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Machines are as the facts say. */
  @Nested
  public class Stated extends MachineFactsChecks {
    /** Called by the kit. */
    public Stated() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** Logs of written pages are complete. */
  @Nested
  public class Logs extends MachineLogChecks {
    /** Called by the kit. */
    public Logs() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }

  /** A stated capability holds, and one that is not stated is absent. */
  @Nested
  public class Capabilities extends MachineCapabilityChecks {
    /** Called by the kit. */
    public Capabilities() {}

    @Override
    public MachineWorld world() {
      return HypervisorTck.this.world();
    }
  }
}
