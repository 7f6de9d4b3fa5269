// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.store.ImageContent;
import dev.ramet.engine.store.SnapshotRecord;
import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.OpenFlag;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An increment makes of its base what was exported, and whatever else may lie there is refused. */
class IncrementTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PAGE = 4096;
  private static final int DISK_BYTES = 6 << 20;
  private static final int MEMORY_BYTES = 4 << 20;
  private static final String BASE = "s9876543210abcdefghi";

  private static final Random RANDOM = new Random(7);
  @TempDir static Path made;
  @TempDir Path scratch;
  private Path directory = Path.of("");

  private static Meter meter() {
    return new Meter(1L << 40, (done, total) -> true);
  }

  /** An image with data, holes, and data again. */
  private static Path image(Path in, String name, int sizeBytes) throws Exception {
    Path file = in.resolve(name);
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(sizeBytes);
      byte[] data = new byte[1 << 20];
      for (long at : new long[] {0, 3 << 20}) {
        RANDOM.nextBytes(data);
        image.seek(at);
        image.write(data);
      }
    }
    return file;
  }

  /** Another one that differs in a few pages, of which one is zeros now. */
  private static Path changed(Path base, int sizeBytes) throws Exception {
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

  private static SnapshotRecord snapshot(long diskBytes) {
    return new SnapshotRecord(
        "s0123456789abcdefghi",
        SnapshotRecord.Kind.SNAPSHOT,
        "tuesday",
        Map.of("default", Instant.parse("2020-01-01T00:00:00Z")),
        null,
        Instant.parse("2020-01-01T00:00:00Z"),
        null,
        null,
        null,
        1,
        MEMORY_BYTES,
        diskBytes,
        "console=ttyS0",
        null,
        true,
        new VmIdentity("qemu", "7.2", Map.of()),
        null,
        null,
        null,
        false,
        false);
  }

  private static Path write(Path in, Path disk, Path changed, long baseBytes, long sizeBytes)
      throws Exception {
    Path target = in.resolve("increment");
    Path kernel = Files.writeString(in.resolve("vmlinuz"), "kernel");
    Path memory = image(in, "memory", MEMORY_BYTES);
    ExportWriter writer = new ExportWriter(in.resolve(".partial"), target, meter());
    writer.copyUnlessSame(ExportRecord.KERNEL, kernel, kernel);
    writer.copyUnlessSame(ExportRecord.INITRD, kernel, in.resolve("none"));
    ImageContent.Image from =
        writer.delta("disk.delta", "disk.raw", disk, baseBytes, changed, sizeBytes);
    writer.makeDevices();
    writer.copy("devices/state", Files.writeString(in.resolve("state"), "state"));
    Path written = changed(memory, MEMORY_BYTES);
    ImageContent.Image fromMemory =
        writer.delta("memory.delta", "memory.raw", memory, MEMORY_BYTES, written, MEMORY_BYTES);
    assertEquals(sha256(disk), from.sha256());
    assertEquals(sha256(memory), fromMemory.sha256());
    ImageContent content = new ImageContent(from, fromMemory);
    writer.finish(snapshot(sizeBytes), new ExportRecord.Base(BASE, "monday", content));
    writer.publish();
    return target;
  }

  private static String sha256(Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }

  @BeforeAll
  static void export() throws Exception {
    Path disk = image(made, "disk", DISK_BYTES);
    write(made, disk, changed(disk, DISK_BYTES), DISK_BYTES, DISK_BYTES);
  }

  @BeforeEach
  void copy() throws Exception {
    directory = scratch.resolve("increment");
    Path from = made.resolve("increment");
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Files.copy(path, directory.resolve(from.relativize(path).toString()));
      }
    }
  }

  /** Writes into a file. */
  private record Into(Fd file) implements Delta.Target {
    @Override
    public void data(ByteBuffer bytes, long offset) {
      try {
        file.pwrite(bytes, offset);
      } catch (LinuxException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void zeros(long offset, long length) {
      try {
        file.punchHole(offset, length);
      } catch (LinuxException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void apply(Export export, String image, Path to) throws Exception {
    ExportFiles files = export.files();
    Increment increment = export.increment();
    if (increment == null) {
      throw new AssertionError("it builds on nothing");
    }
    ExportRecord.Item delta = files.item(Increment.delta(image));
    long base = increment.baseImage(image).sizeBytes();
    long size = files.made(image).sizeBytes();
    files.checkDelta(delta, base, size, meter());
    try (RandomAccessFile file = new RandomAccessFile(to.toFile(), "rw")) {
      file.setLength(size);
    }
    try (Fd file = Fd.open(to, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
      files.apply(delta, base, size, new Into(file), meter());
    }
  }

  @Test
  void theBaseBecomesTheImage() throws Exception {
    Export export = Export.open(directory);
    assertEquals(snapshot(DISK_BYTES), export.snapshot());
    assertFalse(export.files().has("disk.raw"));
    assertTrue(export.files().has("initrd"), "which the base has not");
    assertFalse(export.files().has("kernel"), "which the base has");
    assertTrue(Files.size(directory.resolve("disk.delta")) < 4 * PAGE, "few pages are in it");
    assertTrue(export.files().sizeBytes() < 10 * PAGE, "and little else");
    for (String name : new String[] {"disk", "memory"}) {
      Path image = Files.copy(made.resolve(name), scratch.resolve(name));
      apply(export, name + ".raw", image);
      assertEquals(-1, Files.mismatch(made.resolve(name + "-changed"), image), name);
      assertEquals(sha256(image), export.files().made(name + ".raw").sha256());
    }
    ImageContent.Image memory = export.content().memory();
    assertEquals(export.files().made("memory.raw").sha256(), memory == null ? "" : memory.sha256());
  }

  @ParameterizedTest
  @CsvSource({
    "6291456, 8388608",
    "6291456, 5242880",
    "6291456, 6291457",
    "6291457, 6291456",
    "4096, 4194304"
  })
  void sizesMayDiffer(int baseBytes, int sizeBytes) throws Exception {
    Path disk = scratch.resolve("other");
    byte[] data = new byte[baseBytes];
    RANDOM.nextBytes(data);
    Files.write(disk, data);
    Path changed = changed(disk, sizeBytes);
    Path in = Files.createDirectory(scratch.resolve("in"));
    directory = write(in, disk, changed, baseBytes, sizeBytes);
    apply(Export.open(directory), "disk.raw", disk);
    assertEquals(-1, Files.mismatch(changed, disk));
  }

  @Test
  void whatIsTheSameTakesNothing() throws Exception {
    Path disk = made.resolve("disk");
    try (Fd image = Fd.openRead(disk);
        Fd to = Fd.createNew(scratch.resolve("nothing"), 0600)) {
      DeltaWriter writer = new DeltaWriter(image, DISK_BYTES, DISK_BYTES, to);
      assertEquals(0, writer.finish().dataBytes());
      assertEquals(2 * Delta.RECORD_BYTES, to.sizeBytes());
    }
  }

  private RametException refused(ErrorCode code, String part) {
    RametException e =
        assertThrows(
            RametException.class, () -> apply(Export.open(directory), "disk.raw", target()));
    assertEquals(code, e.code(), e.toString());
    assertTrue(String.valueOf(e.getMessage()).contains(part), e.toString());
    return e;
  }

  private Path target() {
    return scratch.resolve("target");
  }

  /** Changes the record. */
  private void record(Consumer<ObjectNode> change) throws Exception {
    Path file = directory.resolve(ExportRecord.FILE);
    ObjectNode record = (ObjectNode) JSON.readTree(file.toFile());
    change.accept(record);
    JSON.writeValue(file.toFile(), record);
  }

  private static ObjectNode item(ObjectNode record, String list, String path) {
    for (var item : record.withArray(list)) {
      if (item.path("path").asText().equals(path)) {
        return (ObjectNode) item;
      }
    }
    throw new IllegalArgumentException(path);
  }

  /** A file in the place of the disk's, with a record that fits it. */
  private void replace(byte[] delta) throws Exception {
    Path file = directory.resolve("disk.delta");
    Files.write(file, delta);
    String digest = sha256(file);
    record(
        r -> item(r, "files", "disk.delta").put("sha256", digest).put("sizeBytes", delta.length));
  }

  private static byte[] longs(long... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES);
    for (long value : values) {
      bytes.putLong(value);
    }
    return bytes.array();
  }

  private static byte[] join(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(Stream.of(parts).mapToInt(part -> part.length).sum());
    Stream.of(parts).forEach(all::put);
    return all.array();
  }

  private static byte[] head() {
    return longs(Delta.MAGIC, DISK_BYTES, DISK_BYTES);
  }

  private static byte[] data(long offset, int length) {
    return join(longs(Delta.DATA, offset, length), new byte[length]);
  }

  private static byte[] zeros(long offset, long length) {
    return longs(Delta.ZEROS, offset, length);
  }

  private static byte[] end(long dataBytes) {
    return longs(Delta.END, DISK_BYTES, dataBytes);
  }

  static Stream<Arguments> hostile() {
    return Stream.of(
        bad("ends too early", new byte[1]),
        bad("ends too early", head()),
        bad("no mark", longs(Delta.MAGIC + 1, DISK_BYTES, DISK_BYTES), end(0)),
        bad("a base of another size", longs(Delta.MAGIC, 1, DISK_BYTES), end(0)),
        bad("an image of another size", longs(Delta.MAGIC, DISK_BYTES, -1), end(0)),
        bad("a record of kind 7", head(), longs(7, 0, PAGE), end(0)),
        bad("a record of kind -1", head(), longs(-1, 0, PAGE), end(0)),
        bad("is not after the last one", head(), zeros(-PAGE, PAGE), end(0)),
        bad("is not after the last one", head(), zeros(Long.MIN_VALUE, PAGE), end(0)),
        bad("is not after the last one", head(), zeros(0, 2 * PAGE), data(PAGE, PAGE), end(PAGE)),
        bad("is not after the last one", head(), data(PAGE, PAGE), data(0, PAGE), end(2 * PAGE)),
        bad("after the image's end", head(), zeros(DISK_BYTES, PAGE), end(0)),
        bad("after the image's end", head(), zeros(Long.MAX_VALUE & -PAGE, PAGE), end(0)),
        bad("a record of 8192 bytes", head(), zeros(DISK_BYTES - PAGE, 2 * PAGE), end(0)),
        bad("a record of 9223372036854775807", head(), zeros(PAGE, Long.MAX_VALUE), end(0)),
        bad("a record of 0 bytes", head(), zeros(0, 0), end(0)),
        bad("a record of -4096 bytes", head(), zeros(PAGE, -PAGE), end(0)),
        bad("begins within a page", head(), zeros(1, PAGE), end(0)),
        bad("ends within a page", head(), zeros(0, 1), end(0)),
        bad("ends too early", head(), longs(Delta.DATA, 0, PAGE), end(PAGE)),
        bad("ends too early", head(), data(0, PAGE)),
        bad("not what its end says", head(), data(0, PAGE), end(0)),
        bad("not what its end says", head(), longs(Delta.END, 0, 0)),
        bad("goes on after its end", head(), end(0), new byte[1]),
        bad("goes on after its end", head(), end(0), end(0)));
  }

  private static Arguments bad(String what, byte[]... parts) {
    String wanted = what.startsWith("not") ? what.replace("not", "has not") : what;
    return Arguments.of(wanted, join(parts));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void whatMakesNoSenseIsRefusedBeforeAnythingIsWritten(String part, byte[] delta)
      throws Exception {
    replace(delta);
    refused(ErrorCode.INVALID_ARGUMENT, part);
    assertFalse(Files.exists(target()));
  }

  @Test
  void whatIsCutOffOrDamagedIsNamed() throws Exception {
    Path file = directory.resolve("disk.delta");
    byte[] good = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(good, good.length - 1));
    refused(ErrorCode.CORRUPT, file + " has " + (good.length - 1) + " bytes");
    for (int at = 0; at < good.length; at += 1001) {
      byte[] bad = good.clone();
      bad[at] ^= 1;
      Files.write(file, bad);
      refused(ErrorCode.CORRUPT, file + " is damaged");
    }
    Files.delete(file);
    refused(ErrorCode.CORRUPT, file + " is missing");
    assertFalse(Files.exists(target()));
  }

  static Stream<Arguments> records() {
    return Stream.of(
        changes("does not say what it builds on", r -> r.remove("base")),
        changes("does not say what it builds on", r -> r.withObject("/base").remove("id")),
        changes("does not say what it builds on", r -> r.withObject("/base").put("id", "../x")),
        changes("does not say what it builds on", r -> r.withObject("/base").remove("content")),
        changes("has no name of what it builds on", r -> r.withObject("/base").put("name", "a/b")),
        changes("what its base holds", r -> r.withObject("/base/content").remove("disk")),
        changes("what its base holds", r -> r.withObject("/base/content").remove("memory")),
        changes("what its base holds", r -> r.withObject("/base/content/disk").put("sha256", "x")),
        changes("what its base holds", r -> r.withObject("/base/content/disk").remove("sha256")),
        changes(
            "what its base holds",
            r -> r.withObject("/base/content/memory").put("sizeBytes", Long.MAX_VALUE)),
        changes("what comes of memory.delta", r -> r.remove("composed")),
        changes("does not name disk.raw", r -> r.withArray("composed").remove(1)),
        changes("a file without a path", r -> r.withArray("composed").addNull()),
        changes(
            "what comes of memory.delta",
            r -> item(r, "composed", "memory.raw").put("path", "initrd")),
        changes("names disk.raw twice", r -> item(r, "composed", "kernel").put("path", "disk.raw")),
        changes("names initrd twice", r -> item(r, "composed", "kernel").put("path", "initrd")),
        changes(
            "no export has: devices/x",
            r -> item(r, "composed", "kernel").put("path", "devices/x")),
        changes("no SHA-256 of disk.raw", r -> item(r, "composed", "disk.raw").put("sha256", "")),
        changes(
            "disk.raw cannot have -1 bytes",
            r -> item(r, "composed", "disk.raw").put("sizeBytes", -1)),
        changes(
            "disk.raw cannot have 9223372036854775807 bytes",
            r -> item(r, "composed", "disk.raw").put("sizeBytes", Long.MAX_VALUE)),
        changes(
            "its diskBytes does not fit",
            r -> item(r, "composed", "disk.raw").put("sizeBytes", DISK_BYTES + PAGE)));
  }

  private static Arguments changes(String part, Consumer<ObjectNode> change) {
    return Arguments.of(part, change);
  }

  @ParameterizedTest
  @MethodSource("records")
  void aRecordThatMakesNoSenseIsRefused(String part, Consumer<ObjectNode> change) throws Exception {
    record(change);
    refused(ErrorCode.INVALID_ARGUMENT, part);
  }

  @Test
  void aWholeExportHasNoDeltas() throws Exception {
    record(r -> r.put("format", 1));
    refused(ErrorCode.INVALID_ARGUMENT, "names a file that no export has: disk.delta");
    record(r -> r.put("format", 3));
    refused(ErrorCode.UNSUPPORTED, "format 3");
  }
}
