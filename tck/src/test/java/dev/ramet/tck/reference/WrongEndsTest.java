// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.tck.HypervisorTck;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects machines that end, or are paused, wrongly. */
class WrongEndsTest {
  @Test
  void anEndThatNobodyAskedFor() {
    Failures.expect(
        BlamesTheCaller.class,
        HypervisorTck.Deaths.class,
        "aMachineThatDiesWhileItRuns",
        "an end that nobody asked for is not a requested one");
  }

  static class BlamesTheCaller extends WrongDriver.OfMachines {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process) {
        @Override
        public CompletionStage<VmExit> exit() {
          return super.exit().thenApply(exit -> new VmExit(true, exit.detail()));
        }
      };
    }
  }

  @Test
  void machinesThatEndWithTheirHost() {
    Failures.expect(
        ForgetsMachines.class,
        HypervisorTck.Deaths.class,
        "aHostThatStartsAnew",
        "a machine outlives the host that started it");
  }

  static class ForgetsMachines extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
          return Optional.empty();
        }
      };
    }
  }

  @Test
  void machinesThatAreFoundPausedAndStaySo() {
    Failures.expect(
        LeavesThemPaused.class,
        HypervisorTck.Deaths.class,
        "aMachineFoundPausedIsResumed",
        "the machine does not run");
  }

  static class LeavesThemPaused extends WrongDriver.OfMachines {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process) {
        @Override
        synchronized RunningVm takeBack() {
          return this;
        }
      };
    }
  }

  @Test
  void reapingByNameAlone() {
    Failures.expect(
        ReapsByPrefix.class,
        HypervisorTck.Deaths.class,
        "reapingEndsWhatIsBelow",
        "the machine does not run");
  }

  static class ReapsByPrefix extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public void reap(Path directory) {
          Path parent = directory.getParent();
          super.reap(parent == null ? directory : parent);
        }
      };
    }
  }

  @Test
  void twoPausesAtOnce() {
    Failures.expect(
        PausesTwice.class,
        HypervisorTck.Refusals.class,
        "twoPausesOfOneMachine",
        "a paused machine is not paused again");
  }

  static class PausesTwice extends WrongDriver.OfMachines {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process) {
        @Override
        public PausedVm pause() {
          try {
            return super.pause();
          } catch (RametException e) {
            return new Paused(null);
          }
        }
      };
    }
  }
}
