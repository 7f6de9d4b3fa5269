// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.engine.state.ImageContent;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Base images of a disk and of memory, and an increment to them, of which each test gets a copy.
 */
final class IncrementGround {
  static final int PAGE = 4096;
  static final int DISK_BYTES = 6 << 20;
  private static final int MEMORY_BYTES = 4 << 20;
  private static final String BASE = "s9876543210abcdefghi";

  private final Random random = new Random(7);
  private final Path root;
  private final Path made;
  private int copies;

  IncrementGround(Path root) throws Exception {
    this.root = root;
    made = Files.createDirectory(root.resolve("made"));
    Path disk = image(made, "disk", DISK_BYTES);
    write(made, disk, changed(disk, DISK_BYTES), DISK_BYTES, DISK_BYTES);
  }

  /** Returns a base image, {@code disk} or {@code memory}. */
  Path base(String name) {
    return made.resolve(name);
  }

  /** Returns the image that was exported with this base. */
  Path changed(String name) {
    return made.resolve(name + "-changed");
  }

  /** Returns a copy of the increment for one test. */
  IncrementCopy copy() throws IOException {
    Path scratch = scratch();
    Path directory = scratch.resolve("increment");
    Path from = made.resolve("increment");
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Files.copy(path, directory.resolve(from.relativize(path).toString()));
      }
    }
    return new IncrementCopy(directory, scratch);
  }

  /** Creates a new directory. */
  Path scratch() throws IOException {
    return Files.createDirectory(root.resolve("scratch" + ++copies));
  }

  /** Creates an image with data, holes, and data again. */
  private Path image(Path in, String name, int sizeBytes) throws Exception {
    Path file = in.resolve(name);
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(sizeBytes);
      byte[] data = new byte[1 << 20];
      for (long at : new long[] {0, 3 << 20}) {
        random.nextBytes(data);
        image.seek(at);
        image.write(data);
      }
    }
    return file;
  }

  /** Creates a copy of an image that differs in a few pages, one of which is zeros. */
  static Path changed(Path base, int sizeBytes) throws Exception {
    Path file = Files.copy(base, base.resolveSibling(base.getFileName() + "-changed"));
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(sizeBytes);
      image.seek(5 * PAGE + 100);
      image.write(1);
      image.seek(9 * PAGE);
      image.write(new byte[PAGE]);
      image.seek(sizeBytes - 10);
      image.write(2);
      image.seek(2 << 20);
      image.write(new byte[] {3, 4});
    }
    return file;
  }

  static SnapshotRecord snapshot(long diskBytes) {
    return SnapshotRecord.builder()
        .id("s0123456789abcdefghi")
        .kind(SnapshotRecord.Kind.SNAPSHOT)
        .name("tuesday")
        .tags(Map.of("default", Instant.parse("2020-01-01T00:00:00Z")))
        .createdAt(Instant.parse("2020-01-01T00:00:00Z"))
        .cpuCount(1)
        .memoryBytes(MEMORY_BYTES)
        .diskBytes(diskBytes)
        .kernelArguments("console=ttyS0")
        .warm(true)
        .identity(new VmIdentity("qemu", "7.2", Map.of()))
        .deleted(false)
        .pending(false)
        .build();
  }

  /** Writes an increment that turns one disk into another. */
  Path write(Path in, Path disk, Path changed, long baseBytes, long sizeBytes) throws Exception {
    Path target = in.resolve("increment");
    Path kernel = Files.writeString(in.resolve("vmlinuz"), "kernel");
    Path memory = image(in, "memory", MEMORY_BYTES);
    ExportWriter writer =
        new ExportWriter(in.resolve(".partial"), new ExportName(target), ExportEdits.meter());
    writer.copyUnlessSame(ExportRecord.KERNEL, kernel, kernel);
    writer.copyUnlessSame(ExportRecord.INITRD, kernel, in.resolve("none"));
    ImageContent.Image from =
        writer.delta("disk.delta", "disk.raw", disk, baseBytes, changed, sizeBytes);
    writer.makeDevices();
    writer.copy("devices/state", Files.writeString(in.resolve("state"), "state"));
    Path written = changed(memory, MEMORY_BYTES);
    ImageContent.Image fromMemory =
        writer.delta("memory.delta", "memory.raw", memory, MEMORY_BYTES, written, MEMORY_BYTES);
    assertEquals(ExportEdits.byBlocks(disk), from.sha256());
    assertEquals(ExportEdits.byBlocks(memory), fromMemory.sha256());
    ImageContent content = new ImageContent(from, fromMemory);
    writer.finish(snapshot(sizeBytes), new ExportRecord.Base(BASE, "monday", content));
    writer.publish();
    return target;
  }
}
