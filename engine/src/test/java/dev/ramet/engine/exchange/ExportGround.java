// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Ground for tests of exports: an export, and ways to damage it. */
abstract class ExportGround {
  static final int DISK_BYTES = 5 << 20;
  static final int MEMORY_BYTES = 64 << 20;

  @TempDir Path scratch;
  Path directory = Path.of("");

  static SnapshotRecord snapshot(boolean warm) {
    return SnapshotRecord.builder()
        .id("s0123456789abcdefghi")
        .kind(SnapshotRecord.Kind.SNAPSHOT)
        .name("before")
        .tags(Map.of("default", Instant.parse("2020-01-01T00:00:00Z")))
        .createdAt(Instant.parse("2020-01-01T00:00:00Z"))
        .sandboxId("i0123456789abcdefghi")
        .machine(1)
        .templateId("t0123456789abcdefghi")
        .cpuCount(1)
        .memoryBytes(MEMORY_BYTES)
        .diskBytes(DISK_BYTES)
        .kernelArguments("console=ttyS0")
        .agentPort(49_983)
        .warm(warm)
        .identity(warm ? new VmIdentity("qemu", "7.2", Map.of("machine", "pc-1")) : null)
        .deleted(false)
        .pending(false)
        .build();
  }

  Path image(String name, int sizeBytes) throws Exception {
    Path file = scratch.resolve(name);
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(sizeBytes);
      image.seek(3 << 20);
      image.write(name.getBytes(StandardCharsets.US_ASCII));
    }
    return file;
  }

  Path write(String name, boolean warm) throws Exception {
    Path partial = scratch.resolve(".partial-" + name);
    Path target = scratch.resolve(name);
    boolean there = Files.exists(target);
    Path kernel = Files.writeString(scratch.resolve("vmlinuz"), "kernel");
    ExportWriter writer = new ExportWriter(partial, new ExportName(target), ExportEdits.meter());
    writer.copy(ExportRecord.KERNEL, kernel);
    writer.copy(ExportRecord.DISK, image("disk", DISK_BYTES), DISK_BYTES);
    if (warm) {
      writer.makeDevices();
      writer.copy("devices/state", Files.writeString(scratch.resolve("state"), "state"));
      writer.copy(ExportRecord.MEMORY, image("memory", MEMORY_BYTES), MEMORY_BYTES);
    }
    writer.finish(snapshot(warm), null);
    assertEquals(there, Files.exists(target), "not before it is whole");
    writer.publish();
    writer.syncName();
    return target;
  }

  @BeforeEach
  void export() throws Exception {
    directory = write("export", true);
  }

  RametException refused(ErrorCode code, String part) {
    RametException e = assertThrows(RametException.class, () -> ExportDirectory.open(directory));
    assertEquals(code, e.code(), e.toString());
    assertTrue(String.valueOf(e.getMessage()).contains(part), e.toString());
    return e;
  }
}
