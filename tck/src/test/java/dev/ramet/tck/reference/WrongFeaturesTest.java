// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.tck.HypervisorTck;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects a driver that does not do what its probe states. */
class WrongFeaturesTest {
  @Test
  void moreIsStatedThanIsThere() {
    Failures.expect(
        StatesTooMuch.class,
        HypervisorTck.Capabilities.class,
        "diskWritesAreCounted",
        "machines are DiskWrites if and only if the probe states 'disk-writes'");
  }

  static class StatesTooMuch extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines);
    }

    @Override
    Set<HypervisorFeature> stated() {
      return Set.of(HypervisorFeature.DISK_WRITES);
    }
  }

  @Test
  void lessIsStatedThanIsThere() {
    Failures.expect(
        StatesTooLittle.class,
        HypervisorTck.Capabilities.class,
        "diskWritesAreCounted",
        "machines are DiskWrites if and only if the probe states 'disk-writes'");
  }

  static class StatesTooLittle extends WrongDriver.OfMachines {
    static class Counting extends ReferenceVm implements DiskWrites {
      Counting(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
        super(driver, spec, process);
      }

      @Override
      public long diskWrites() {
        return 0;
      }
    }

    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new Counting(driver, spec, process);
    }
  }
}
