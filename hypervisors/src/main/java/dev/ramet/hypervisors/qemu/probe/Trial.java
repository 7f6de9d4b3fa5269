// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import dev.ramet.hypervisors.qemu.program.Installation;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemorySource;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Tries the driver's whole work once with a tiny machine: boot, save, restore, resume. */
public final class Trial {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final long MEMORY_BYTES = 16 << 20;
  private static final int CHUNK_BYTES = 1 << 20;

  private Trial() {}

  /** Runs the trial below {@code scratch} and returns its evidence. */
  static Map<String, String> run(Installation qemu, Path scratch) throws IOException {
    Path kernel = Files.write(scratch.resolve("kernel"), ProbeGuest.bytes());
    Path saved = Files.createDirectory(scratch.resolve("saved"));
    Path image = scratch.resolve("memory");
    VmSpec first = spec(Files.createDirectory(scratch.resolve("first")), kernel);
    VmSpec second = spec(Files.createDirectory(scratch.resolve("second")), kernel);
    try (QemuHypervisor driver = new QemuHypervisor(qemu)) {
      try {
        RunningVm original = driver.boot(first, TIMEOUT);
        try (PausedVm paused = original.pause()) {
          paused.saveDevices(saved);
          copy(paused.memory(), image);
        }
        SavedVm state =
            new SavedVm(saved, new MemorySource.MappedImage(image), original.identity());
        original.kill(TIMEOUT);
        long start = System.nanoTime();
        long restored;
        try (PausedVm paused = driver.restore(second, state, TIMEOUT)) {
          RunningVm vm = paused.resume();
          restored = millisSince(start);
          vm.kill(TIMEOUT);
        }
        return Map.of(
            "restore", "a test machine was restored in " + restored + " ms",
            "deviceState", Files.size(saved.resolve(VmFiles.DEVICES)) + " bytes");
      } finally {
        driver.reap(scratch);
      }
    }
  }

  private static VmSpec spec(Path directory, Path kernel) {
    return new VmSpec(
        "ramet-probe",
        directory,
        1,
        MEMORY_BYTES,
        new Boot(Map.of(KernelFormat.BZIMAGE, kernel), null, ""),
        List.of(),
        new NetworkPlan.User("127.0.0.1", List.of(), false),
        null);
  }

  /** Copies memory through {@code /proc/pid/mem}, which is slow but needs no native code. */
  public static void copy(GuestMemory memory, Path image) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    Path source = Path.of("/proc", Long.toString(memory.pid()), "mem");
    try (RandomAccessFile in = new RandomAccessFile(source.toFile(), "r");
        RandomAccessFile out = new RandomAccessFile(image.toFile(), "rw")) {
      out.setLength(memory.imageSizeBytes());
      for (MemoryRegion region : memory.regions()) {
        in.seek(region.address());
        out.seek(region.imageOffset());
        for (long left = region.lengthBytes(); left > 0; ) {
          int count = (int) Math.min(left, chunk.length);
          in.readFully(chunk, 0, count);
          out.write(chunk, 0, count);
          left -= count;
        }
      }
    }
  }

  private static long millisSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1_000_000;
  }
}
