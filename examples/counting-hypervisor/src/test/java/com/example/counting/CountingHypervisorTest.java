// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import dev.ramet.tck.HypervisorTck;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the whole contract, with processes whose guests count. */
class CountingHypervisorTest extends HypervisorTck {
  @Override
  protected HypervisorHarness harness(Path scratch) {
    return new Harness(scratch);
  }

  /** Checks what the probe reports while no guests run: delete this test once they do. */
  @Test
  void aHostIsToldThatNoGuestsRun(@TempDir Path root) {
    ProbeResult told = new CountingProvider().probe(new ProbeContext(root));
    ProbeResult.Unusable unusable = assertInstanceOf(ProbeResult.Unusable.class, told);
    assertFalse(unusable.remedy().isBlank());
  }

  private record Harness(Path scratch) implements HypervisorHarness {
    @Override
    public HypervisorProvider provider() {
      return new CountingProvider(true);
    }

    /** Replace this with the smallest guest that counts in its memory; here each machine is one. */
    @Override
    public VmSpec spec(String name, Path directory) throws IOException {
      Path kernel = scratch.resolve("kernel");
      Files.writeString(kernel, "counts");
      Boot boot = new Boot(Map.of(KernelFormat.BZIMAGE, kernel), null, "");
      NetworkPlan network = new NetworkPlan.User("127.0.0.2", List.of(), false);
      return new VmSpec(name, directory, 1, 1 << 20, boot, List.of(), network, null);
    }

    /** The count is in the first bytes of its memory, read from outside. */
    @Override
    public long count(RunningVm vm) throws IOException {
      String memory = "/proc/" + vm.pid() + "/mem";
      try (RandomAccessFile from = new RandomAccessFile(memory, "r")) {
        from.seek(vm.memory().regions().get(0).address());
        return Long.reverseBytes(from.readLong());
      }
    }

    @Override
    public Set<String> logs() {
      return Set.of(CountingHypervisor.LOG);
    }
  }
}
