// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.tck.HypervisorTck;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults in the restores of a driver. */
class WrongRestoresTest {
  @Test
  void memoryThatIsNotFetched() {
    Failures.expect(
        ReadsZerosInsteadOfFetching.class,
        HypervisorTck.Attachments.class,
        "aFaultHandlerIsRefusedOrUsed",
        "was read with other content");
    Failures.expect(
        TakesUnstatedHandlers.class,
        HypervisorTck.Attachments.class,
        "aFaultHandlerIsRefusedOrUsed",
        "refuses one");
  }

  /** It fetches the first page alone. */
  static class ReadsZerosInsteadOfFetching extends WrongDriver {
    @Override
    Set<HypervisorFeature> stated() {
      return Set.of(HypervisorFeature.FAULT_HANDLER);
    }

    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        FaultedMemory connect(MemorySource.FaultHandler handler) {
          return new FaultedMemory(FaultHandlers.connect(handler)) {
            @Override
            synchronized byte[] page(long imageOffset) {
              return imageOffset == 0 ? super.page(0) : new byte[pageBytes()];
            }
          };
        }
      };
    }
  }

  static class TakesUnstatedHandlers extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        FaultedMemory connect(MemorySource.FaultHandler handler) {
          return new FaultedMemory(
              new FaultHandlers.Pages() {
                @Override
                public long sizeBytes() {
                  return 1 << 20;
                }

                @Override
                public byte[] page(long imageOffset) {
                  return new byte[FaultedMemory.pageBytes()];
                }
              });
        }
      };
    }
  }

  @Test
  void aMachineThatForgetsWhatItWas() {
    Failures.expect(
        BootsInsteadOfRestoring.class,
        HypervisorTck.Restores.class,
        "aRestoredMachineStandsStill",
        "go on from where it was saved");
    Failures.expect(
        RunsBeforeItIsResumed.class,
        HypervisorTck.Restores.class,
        "aRestoredMachineDoesNothing",
        "stops before the first instruction");
  }

  static class BootsInsteadOfRestoring extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
          return boot(spec, timeout).pause();
        }
      };
    }

    /** Its guest would catch up with any count if it were waited for. */
    @Override
    protected HypervisorHarness harness(Path scratch) {
      return new Harness(scratch) {
        @Override
        public long count(RunningVm vm) {
          ReferenceMachines.Guest process = machines.find(vm.pid());
          return process == null || process.pid == machines.first() ? super.count(vm) : 0;
        }
      };
    }
  }

  static class RunsBeforeItIsResumed extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
          PausedVm paused = super.restore(spec, saved, timeout);
          machines.guest(paused.pid()).go();
          return paused;
        }
      };
    }
  }

  @Test
  void anImageThatIsWritten() {
    Failures.expect(
        WritesTheImage.class,
        HypervisorTck.Restores.class,
        "theImageIsNeverWritten",
        "a memory image is mapped privately");
  }

  static class WritesTheImage extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
          PausedVm paused = super.restore(spec, saved, timeout);
          try {
            // A count that no guest has reached when it is saved.
            ReferenceState.writeMemory(-1, spec.memoryBytes(), saved.memory().path());
          } catch (IOException e) {
            throw new RametException(ErrorCode.HOST_UNFIT, "cannot write", e);
          }
          return paused;
        }
      };
    }
  }
}
