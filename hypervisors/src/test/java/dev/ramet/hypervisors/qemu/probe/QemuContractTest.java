// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import dev.ramet.hypervisors.qemu.QemuProvider;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.DiskBench;
import dev.ramet.hypervisors.qemu.vm.Host;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.settings.Settings;
import dev.ramet.tck.HypervisorTck;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** Checks the driver against the contract on real QEMU, with the emulator. */
class QemuContractTest extends HypervisorTck {
  @Override
  protected HypervisorHarness harness(Path scratch) throws IOException {
    String binary = Host.qemu().toString();
    return new Harness(
        new Bench(scratch), Settings.of(Map.of("binary", binary, "ramet.accelerator", "tcg")));
  }

  /** Provides machines that run the counting kernel. */
  private record Harness(Bench bench, Settings settings) implements HypervisorHarness {
    @Override
    public HypervisorProvider provider() {
      return new HypervisorProvider() {
        private final QemuProvider real = new QemuProvider();

        @Override
        public String id() {
          return real.id();
        }

        @Override
        public HypervisorFacts atBest() {
          return real.atBest();
        }

        @Override
        public ProbeResult probe(ProbeContext where) {
          return real.probe(new ProbeContext(where.root(), settings));
        }

        /** Opens the driver without the provider's trial, which takes a second. */
        @Override
        public Hypervisor open(ProbeContext where) {
          return new QemuHypervisor(Bench.installation(where.root()));
        }
      };
    }

    @Override
    public VmSpec spec(String name, Path directory) {
      return bench.in(name, directory);
    }

    @Override
    public long count(RunningVm vm) throws IOException {
      return Bench.count(vm);
    }

    /** Writes as the guest's disk driver would; the guest itself only counts. */
    @Override
    public boolean writeDisk(RunningVm vm, long offset, int lengthBytes) {
      DiskBench.io(vm, 0, "write " + offset + " " + lengthBytes);
      return true;
    }

    @Override
    public Set<String> logs() {
      return Set.of("vmm.log", "console.log", "ram-blocks");
    }
  }
}
