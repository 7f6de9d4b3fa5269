// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.tck.HypervisorTck;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects machines that report stops by their disks wrongly. */
class WrongDiskStopsTest {
  private static final String CHECK = "aDiskErrorStopsMachines";

  /** A machine whose disk never fails, and that answers as the test's driver decides. */
  static final class Stopping extends ReferenceVm implements StopsOnDiskError {
    private final WithStops author;

    Stopping(
        ReferenceHypervisor driver,
        VmSpec spec,
        ReferenceMachines.Guest process,
        WithStops author) {
      super(driver, spec, process);
      this.author = author;
    }

    @Override
    public Optional<DiskStop> diskStop() {
      return author.stop();
    }

    @Override
    public void onDiskStop(Runnable listener) {}

    @Override
    public void goOn() {
      author.goOn(this);
    }
  }

  /** Drivers of such machines. Unchanged, it keeps the contract. */
  abstract static class WithStops extends WrongDriver.OfMachines {
    @Override
    Set<HypervisorFeature> stated() {
      return Set.of(HypervisorFeature.STOPS_ON_DISK_ERROR);
    }

    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new Stopping(driver, spec, process, this);
    }

    Optional<StopsOnDiskError.DiskStop> stop() {
      return Optional.empty();
    }

    /** Refuses a paused machine, as a second pause does. */
    void goOn(Stopping vm) {
      vm.pause().close();
    }
  }

  private static void expect(Class<?> wrong, String message) {
    Failures.expect(wrong, HypervisorTck.Capabilities.class, CHECK, message);
  }

  @Test
  void oneThatIsRightPasses() {
    Failures.none(Right.class, HypervisorTck.Capabilities.class);
  }

  static class Right extends WithStops {}

  @Test
  void moreOrLessIsStatedThanIsThere() {
    String message =
        "machines are StopsOnDiskError if and only if the probe states 'stops-on-disk-error'";
    expect(StatesTooMuch.class, message);
    expect(StatesTooLittle.class, message);
  }

  static class StatesTooMuch extends WithStops {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process);
    }
  }

  static class StatesTooLittle extends WithStops {
    @Override
    Set<HypervisorFeature> stated() {
      return Set.of();
    }
  }

  @Test
  void aMachineThatRunsIsNotStopped() {
    expect(StopsAlways.class, "no disk has stopped a machine that runs");
  }

  static class StopsAlways extends WithStops {
    @Override
    Optional<StopsOnDiskError.DiskStop> stop() {
      return Optional.of(
          new StopsOnDiskError.DiskStop(StopsOnDiskError.Cause.NO_SPACE, "always full"));
    }
  }

  @Test
  void aPauseIsNotEndedByGoingOn() {
    expect(GoesOnAlways.class, "Expected dev.ramet.errors.RametException");
  }

  static class GoesOnAlways extends WithStops {
    @Override
    void goOn(Stopping vm) {}
  }
}
