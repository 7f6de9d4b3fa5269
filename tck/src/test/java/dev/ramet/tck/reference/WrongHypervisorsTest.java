// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.GuestSecret;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.tck.HypervisorTck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults of a hypervisor driver and says how to fix them. */
class WrongHypervisorsTest {
  @Test
  void aPauseThatIsNone() {
    Failures.expect(
        PausesLater.class,
        HypervisorTck.Lives.class,
        "aPausedMachineStandsStill",
        "pause() returns once the virtual CPUs have stopped");
  }

  static class PausesLater extends WrongDriver.OfMachines {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process) {
        @Override
        public PausedVm pause() {
          PausedVm paused = super.pause();
          process.go();
          return paused;
        }
      };
    }
  }

  @Test
  void aCloseThatLeavesTheMachinePaused() {
    Failures.expect(
        StaysPaused.class,
        HypervisorTck.Lives.class,
        "closingAPauseLetsTheMachineRun",
        "the machine does not run");
  }

  static class StaysPaused extends WrongDriver.OfMachines {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process) {
        @Override
        public PausedVm pause() {
          super.pause();
          return new Paused(null) {
            @Override
            public void close() {}
          };
        }
      };
    }
  }

  @Test
  void aSaveThatLetsTheMachineRun() {
    Failures.expect(
        RunsInASave.class,
        HypervisorTck.Lives.class,
        "devicesAreSavedWhileItStandsStill",
        "a save must not let the machine run");
  }

  static class RunsInASave extends WrongDriver.OfMachines {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process) {
        @Override
        public SavingVm pauseAndSave(Path directory) {
          super.pauseAndSave(directory).close();
          super.pause();
          return new Paused(directory) {
            @Override
            public void awaitDevices() {
              process.go();
            }
          };
        }
      };
    }
  }

  @Test
  void startsThatLeakWhatTheyBegan() {
    Failures.expect(
        LeaksOnFailure.class,
        HypervisorTck.Refusals.class,
        "aStateThatIsDamaged",
        "must end every process that it started");
  }

  static class LeaksOnFailure extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
          try {
            return super.restore(spec, saved, timeout);
          } catch (RametException e) {
            machines.start(spec.directory(), spec.memoryBytes(), 0);
            throw e;
          }
        }
      };
    }
  }

  @Test
  void startsThatLeakFiles() {
    Failures.expect(
        LeaksFiles.class,
        HypervisorTck.Refusals.class,
        "aMachineOfAnotherShape",
        "must remove the files that it made");
  }

  static class LeaksFiles extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
          try {
            Files.writeString(spec.directory().resolve("incoming"), "half-made");
            PausedVm paused = super.restore(spec, saved, timeout);
            Files.delete(spec.directory().resolve("incoming"));
            return paused;
          } catch (IOException e) {
            throw new RametException(ErrorCode.HOST_UNFIT, "cannot write", e);
          }
        }
      };
    }
  }

  @Test
  void aStateOfAnotherMachineThatIsTaken() {
    Failures.expect(
        TakesAnyState.class,
        HypervisorTck.Refusals.class,
        "aMachineOfAnotherShape",
        "refuse what cannot be: another virtual CPU");
  }

  static class TakesAnyState extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        void checkIdentity(VmIdentity saved, VmIdentity own) {}
      };
    }
  }

  @Test
  void argumentsThatNobodyLooksAt() {
    Failures.expect(
        TakesAnything.class,
        HypervisorTck.Refusals.class,
        "machinesThatCannotBe",
        "refuse what cannot be: no virtual CPU");
  }

  static class TakesAnything extends WrongDriver {
    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        void check(VmSpec spec) {}
      };
    }
  }

  @Test
  void aSecretThatComesOutOfTheSavedMachine() {
    Failures.expect(
        KeepsTheSavedSecret.class,
        HypervisorTck.Capabilities.class,
        "aSecretIsForTheGuestsRootAlone",
        "restored from one with a secret has the secret of its own specification");
  }

  static class KeepsTheSavedSecret extends WrongDriver {
    @Override
    Set<HypervisorFeature> stated() {
      return Set.of(HypervisorFeature.GUEST_SECRET);
    }

    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        private @Nullable GuestSecret first;

        @Override
        public RunningVm boot(VmSpec spec, Duration timeout) {
          first = spec.secret() == null ? first : spec.secret();
          return super.boot(spec, timeout);
        }

        @Override
        public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
          return super.restore(spec.with(first), saved, timeout);
        }
      };
    }
  }

  @Test
  void aSecretInAFileForEverybody() {
    Failures.expect(
        WritesTheSecret.class,
        HypervisorTck.Capabilities.class,
        "aSecretIsForTheGuestsRootAlone",
        "must not be readable for others");
  }

  static class WritesTheSecret extends WrongDriver {
    @Override
    Set<HypervisorFeature> stated() {
      return Set.of(HypervisorFeature.GUEST_SECRET);
    }

    @Override
    Hypervisor driver() {
      return new ReferenceHypervisor(machines) {
        @Override
        public RunningVm boot(VmSpec spec, Duration timeout) {
          GuestSecret secret = spec.secret();
          if (secret != null) {
            try {
              Path file = Files.writeString(spec.directory().resolve("secret"), secret.text());
              Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            } catch (IOException e) {
              throw new RametException(ErrorCode.HOST_UNFIT, "cannot write", e);
            }
          }
          return super.boot(spec, timeout);
        }
      };
    }
  }
}
