// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The harness of the hypervisor: its guests count in the first bytes of their memory.
 *
 * @param scratch an empty directory
 * @param provider the provider under test
 */
record MicroHarness(Path scratch, HypervisorProvider provider) implements HypervisorHarness {
  private static final long MEMORY_BYTES = 1 << 20;
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  @Override
  public VmSpec spec(String name, Path directory) throws IOException {
    Path kernel = scratch.resolve("kernel");
    Path disk = scratch.resolve("disk");
    if (!Files.exists(kernel)) {
      Files.write(kernel, ELF);
      Files.write(disk, new byte[1 << 20]);
    }
    return new VmSpec(
        name,
        directory,
        1,
        MEMORY_BYTES,
        new Boot(Map.of(KernelFormat.ELF, kernel), null, ""),
        List.of(new Disk("disk0", new Attachment.LocalFile(disk, false))),
        new NetworkPlan.Tap(
            Path.of("/run/netns/none"),
            "tap0",
            "06:00:00:00:00:01",
            "172.16.0.2",
            "172.16.0.1",
            30,
            "127.0.0.3"),
        null);
  }

  @Override
  public long count(RunningVm vm) throws IOException {
    Path memory = Path.of("/proc", Long.toString(vm.pid()), "mem");
    try (RandomAccessFile in = new RandomAccessFile(memory.toFile(), "r")) {
      in.seek(vm.memory().regions().get(0).address());
      return Long.reverseBytes(in.readLong());
    }
  }

  /** No machine ever gets one. */
  @Override
  public String generationId(RunningVm vm) {
    return "none";
  }

  @Override
  public Set<String> logs() {
    return Set.of(MicroProcess.LOG);
  }
}
