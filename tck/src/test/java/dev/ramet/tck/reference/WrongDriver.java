// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.tck.HypervisorTck;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.nio.file.Path;
import java.util.Set;

/** The kit as run by the author of a driver that differs from the reference driver. */
abstract class WrongDriver extends HypervisorTck {
  final ReferenceMachines machines = new ReferenceMachines();

  abstract Hypervisor driver();

  /** Returns the features that its probe states. */
  Set<HypervisorFeature> stated() {
    return Set.of();
  }

  @Override
  protected HypervisorHarness harness(Path scratch) {
    return new Harness(scratch);
  }

  /** The reference's harness with the author's driver. */
  class Harness extends ReferenceHypervisorHarness {
    Harness(Path scratch) {
      super(scratch, WrongDriver.this.machines);
    }

    @Override
    Hypervisor open() {
      return driver();
    }

    @Override
    Set<HypervisorFeature> stated() {
      return WrongDriver.this.stated();
    }
  }

  /** A driver whose machines differ from the reference's. */
  abstract static class OfMachines extends WrongDriver {
    abstract ReferenceVm machine(
        ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process);

    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        ReferenceVm vm(VmSpec spec, ReferenceMachines.Guest process) {
          return machine(this, spec, process);
        }
      };
    }
  }
}
