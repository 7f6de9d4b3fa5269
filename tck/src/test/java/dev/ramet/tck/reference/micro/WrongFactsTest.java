// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.tck.HypervisorTck;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import dev.ramet.tck.reference.Failures;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects drivers whose facts are not true. */
class WrongFactsTest {
  private static final HypervisorFacts FACTS = MicroProvider.FACTS;

  private static void expect(Class<?> wrong, String check, String message) {
    Failures.expect(wrong, HypervisorTck.Stated.class, check, message);
  }

  /** The kit as run by the author of a driver that states or does something else. */
  abstract static class Wrong extends HypervisorTck {
    HypervisorFacts stated() {
      return FACTS;
    }

    Hypervisor driver() {
      return new MicroHypervisor();
    }

    @Override
    protected HypervisorHarness harness(Path scratch) {
      return new MicroHarness(scratch, new MicroProvider(stated(), this::driver));
    }

    /** Returns a driver whose machines have other memory. */
    static Hypervisor remembering(UnaryOperator<GuestMemory> memory) {
      return new MicroHypervisor() {
        @Override
        MicroVm vm(VmSpec spec, MicroProcess process) {
          return new MicroVm(spec, process) {
            @Override
            public GuestMemory memory() {
              return memory.apply(super.memory());
            }
          };
        }
      };
    }
  }

  @Test
  void memoryThatChangesInASaveIsNotStable() {
    expect(
        StatesStableMemory.class,
        "memoryStandsStill",
        "memory must not change in a save where 'memoryStable' is stated");
  }

  static class StatesStableMemory extends Wrong {
    @Override
    HypervisorFacts stated() {
      return facts(new HypervisorFacts.Saves(true, FACTS.saves().tracking()), FACTS.restores());
    }
  }

  @Test
  void aLogThatIsNotThere() {
    expect(
        StatesALog.class,
        "whatIsStatedForTracking",
        "memory() offers 'dirty-log' if and only if the probe states it");
    expect(
        HidesItsLog.class,
        "whatIsStatedForTracking",
        "memory() offers 'dirty-log' if and only if the probe states it");
  }

  static class StatesALog extends Wrong {
    @Override
    Hypervisor driver() {
      return remembering(
          memory -> new GuestMemory(memory.pid(), memory.imageSizeBytes(), memory.regions()));
    }
  }

  static class HidesItsLog extends Wrong {
    @Override
    HypervisorFacts stated() {
      return facts(new HypervisorFacts.Saves(false, Set.of(Access.READ)), FACTS.restores());
    }
  }

  @Test
  void aLogThatForgets() {
    Failures.expect(
        Forgets.class, HypervisorTck.Logs.class, "everyWriteIsInTheNextResult", "was written");
    Failures.expect(
        StartsOver.class,
        HypervisorTck.Logs.class,
        "anotherHostDoesNotTake",
        "after a restart of the host a log goes on");
  }

  /** A log that answers otherwise than the machine's. */
  record Altered(DirtyLog real, UnaryOperator<DirtyLog.Drained> answer) implements DirtyLog {
    @Override
    public Drained drain() {
      return answer.apply(real.drain());
    }
  }

  static class Forgets extends Wrong {
    @Override
    Hypervisor driver() {
      return remembering(
          memory ->
              altered(
                  memory,
                  now ->
                      new DirtyLog.Drained(
                          now.since(), now.until(), new PageRanges.Builder().build())));
    }
  }

  static class StartsOver extends Wrong {
    @Override
    Hypervisor driver() {
      return remembering(
          memory ->
              altered(
                  memory, now -> new DirtyLog.Drained(DirtyLog.START, now.until(), now.pages())));
    }
  }

  private static GuestMemory altered(GuestMemory memory, UnaryOperator<DirtyLog.Drained> answer) {
    DirtyLog log = memory.dirtyLog();
    return log == null ? memory : memory.with(new Altered(log, answer));
  }

  @Test
  void disksThatNobodyLooksAt() {
    expect(TakesAnyDisk.class, "disksAreOpened", "expected: <CORRUPT>");
  }

  static class TakesAnyDisk extends Wrong {
    @Override
    Hypervisor driver() {
      return new MicroHypervisor() {
        @Override
        void checkState(VmSpec spec, SavedVm saved) {
          try {
            super.checkState(spec, saved);
          } catch (RametException e) {
            boolean size = String.valueOf(e.getMessage()).startsWith("not the disk");
            throw size ? new RametException(ErrorCode.HYPERVISOR_FAILED, "it ended") : e;
          }
        }
      };
    }
  }

  @Test
  void copiesWithOneGenerationId() {
    expect(
        StatesAGenerationId.class,
        "copiesGetAGenerationId",
        "two copies of a machine have different generation ids if and only if");
  }

  static class StatesAGenerationId extends Wrong {
    @Override
    HypervisorFacts stated() {
      return facts(
          FACTS.saves(),
          new HypervisorFacts.Restores(Map.of(), true, true, HypervisorFacts.Clock.SAVED));
    }
  }

  @Test
  void networksThatAreNotSetUp() {
    expect(
        StatesMoreNetworks.class,
        "whatAGuestSends",
        "a guest with a tap device sends through the device that the host planned");
    expect(
        StatesFewerNetworks.class,
        "otherNetworks",
        "the harness must use a kind of network that the probe states");
  }

  static class StatesMoreNetworks extends Wrong {
    @Override
    Hypervisor driver() {
      return new MicroHypervisor() {
        @Override
        MicroVm vm(VmSpec spec, MicroProcess process) {
          return new MicroVm(spec, process) {
            @Override
            public EgressPoint egress() {
              return new EgressPoint.Process(pid());
            }
          };
        }
      };
    }
  }

  static class StatesFewerNetworks extends Wrong {
    @Override
    HypervisorFacts stated() {
      return new HypervisorFacts(
          false,
          Set.of(),
          new HypervisorFacts.Accepts(
              Set.of(NetworkPlan.Kind.USER), Set.of(KernelFormat.ELF), FACTS.attachments()),
          FACTS.saves(),
          FACTS.restores(),
          Set.of());
    }
  }

  private static HypervisorFacts facts(
      HypervisorFacts.Saves saves, HypervisorFacts.Restores restores) {
    return new HypervisorFacts(false, Set.of(), FACTS.accepts(), saves, restores, Set.of());
  }
}
