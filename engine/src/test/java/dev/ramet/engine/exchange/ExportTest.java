// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an export is read back as it was written, and that anything else is refused. */
class ExportTest {
  private static final int DISK_BYTES = 5 << 20;
  private static final int MEMORY_BYTES = 64 << 20;

  @TempDir Path scratch;
  private Path directory = Path.of("");

  private static SnapshotRecord snapshot(boolean warm) {
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

  private Path image(String name, int sizeBytes) throws Exception {
    Path file = scratch.resolve(name);
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(sizeBytes);
      image.seek(3 << 20);
      image.write(name.getBytes(StandardCharsets.US_ASCII));
    }
    return file;
  }

  private Path write(String name, boolean warm) throws Exception {
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

  @Test
  void whatIsWrittenIsRead() throws Exception {
    Export export = Export.open(directory);
    assertEquals(snapshot(true), export.snapshot());
    assertEquals(6, export.files().count());
    assertEquals(-1, Files.mismatch(scratch.resolve("disk"), directory.resolve("disk.raw")));
    assertTrue(PathCalls.stat(directory.resolve("memory.raw")).allocatedBytes() < 1 << 20);
    for (String name : List.of("disk.raw", "memory.raw", "kernel", "devices/state")) {
      ExportRecord.Item item = export.files().item(name);
      assertEquals(ExportEdits.sha256(directory.resolve(name)), item.sha256(), name);
      try (Fd copy = Fd.createNew(scratch.resolve("copy-" + item.sizeBytes()), 0600)) {
        long data = export.files().copy(item, copy, ExportEdits.meter());
        assertTrue(data > 0 && data < 1 << 20, name + " " + data);
        assertEquals(name.endsWith(".raw"), export.files().hasHoles(item), name);
      }
      Path copied = scratch.resolve("copy-" + item.sizeBytes());
      assertEquals(-1, Files.mismatch(directory.resolve(name), copied), name);
      assertTrue(PathCalls.stat(copied).allocatedBytes() < 1 << 20, "holes stay");
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        assertTrue(mode.endsWith("------"), path + " " + mode);
      }
    }
    assertEquals(snapshot(false), Export.open(write("cold", false)).snapshot());
  }

  @Test
  void aTargetThatIsThereIsNotTouched() throws Exception {
    RametException taken = assertThrows(RametException.class, () -> write("export", true));
    assertEquals(ErrorCode.ALREADY_EXISTS, taken.code());
    Export.open(directory);
    Path link = Files.createSymbolicLink(scratch.resolve("link"), Path.of("nowhere"));
    assertThrows(RametException.class, () -> new ExportName(link).refuseTaken());
  }

  @Test
  void progressIsToldAndStops() throws Exception {
    List<Long> told = new ArrayList<>();
    Meter meter =
        new Meter(
            100,
            (done, total) -> {
              told.add(done);
              return done < 100;
            });
    meter.copying(60).copied(30, 60);
    meter.copying(60);
    meter.add(30);
    meter.add(100);
    assertEquals(List.of(15L, 30L, 80L), told);
    RametException stopped = assertThrows(RametException.class, () -> meter.add(40));
    assertEquals(ErrorCode.CANCELLED, stopped.code());
  }

  private RametException refused(ErrorCode code, String part) {
    RametException e = assertThrows(RametException.class, () -> Export.open(directory));
    assertEquals(code, e.code(), e.toString());
    assertTrue(String.valueOf(e.getMessage()).contains(part), e.toString());
    return e;
  }

  /** Changes the manifest, and updates the record to match. */
  private void manifest(Consumer<ObjectNode> change) throws Exception {
    ExportEdits.rewrite(directory.resolve(ExportRecord.MANIFEST), change);
    ExportEdits.fit(directory, ExportRecord.MANIFEST);
  }

  @Test
  void whatIsNoExportIsRefused() throws Exception {
    directory = scratch.resolve("nowhere");
    refused(ErrorCode.NOT_FOUND, "nowhere");
    directory = Files.createDirectory(scratch.resolve("empty"));
    refused(ErrorCode.INVALID_ARGUMENT, "export.json");
    Path record = directory.resolve("export.json");
    for (String text : List.of("", "null", "[]", "{}", "{\"format\":0}", "{\"format\":\"x\"}")) {
      Files.writeString(record, text);
      refused(ErrorCode.INVALID_ARGUMENT, record.toString());
    }
    Files.delete(record);
    Files.createDirectory(record);
    refused(ErrorCode.INVALID_ARGUMENT, record + " is not a regular file");
    directory = Files.createFile(scratch.resolve("file"));
    refused(ErrorCode.NOT_FOUND, "file");
  }

  @Test
  void aNewerFormatIsNotGuessed() throws Exception {
    ExportEdits.record(directory, r -> r.put("format", 3).remove("files"));
    String remedy = String.valueOf(refused(ErrorCode.UNSUPPORTED, "format 3").remedy());
    assertTrue(remedy.contains("newer version"), remedy);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../kernel",
        "/etc/passwd",
        "devices/../kernel",
        "devices/.hidden",
        "devices/a/b",
        "devices/",
        "disk.raw/x",
        "./kernel",
        "notes.txt",
        "export.json",
        ""
      })
  void namesThatNoExportHasAreRefused(String path) throws Exception {
    ExportEdits.record(directory, r -> ExportEdits.item(r, "files", "kernel").put("path", path));
    refused(ErrorCode.INVALID_ARGUMENT, "names a file that an export never contains: " + path);
  }

  @Test
  void aRecordThatMakesNoSenseIsRefused() throws Exception {
    Path file = directory.resolve(ExportRecord.FILE);
    String good = Files.readString(file);
    ExportEdits.record(directory, r -> ExportEdits.item(r, "files", "kernel").remove("path"));
    refused(ErrorCode.INVALID_ARGUMENT, "without a path");
    Files.writeString(file, good);
    ExportEdits.record(directory, r -> ((ArrayNode) r.get("files")).addNull());
    refused(ErrorCode.INVALID_ARGUMENT, "without a path");
    Files.writeString(file, good);
    ExportEdits.record(
        directory,
        r -> ((ArrayNode) r.get("files")).add(ExportEdits.item(r, "files", "kernel").deepCopy()));
    refused(ErrorCode.INVALID_ARGUMENT, "twice");
    Files.writeString(file, good);
    ExportEdits.record(
        directory, r -> ExportEdits.item(r, "files", "kernel").put("sha256", "none"));
    refused(ErrorCode.INVALID_ARGUMENT, "no SHA-256 of kernel");
    Files.writeString(file, good);
    ExportEdits.record(
        directory, r -> ExportEdits.item(r, "files", "kernel").put("path", "devices/kernel"));
    refused(ErrorCode.INVALID_ARGUMENT, "does not name kernel");
    Files.writeString(file, good);
    ExportEdits.record(
        directory, r -> ExportEdits.item(r, "files", "disk.raw").put("sizeBytes", -1));
    refused(ErrorCode.CORRUPT, "disk.raw has 5242880 bytes, not -1");
  }

  @Test
  void whatIsMissingOrDamagedIsNamed() throws Exception {
    Path kernel = directory.resolve("kernel");
    Files.delete(kernel);
    refused(ErrorCode.CORRUPT, kernel + " is missing");
    Files.writeString(kernel, "kernels");
    refused(ErrorCode.CORRUPT, kernel + " has 7 bytes, not 6");
    Files.writeString(kernel, "Kernel");
    Export export = Export.open(directory);
    try (Fd copy = Fd.createNew(scratch.resolve("copy"), 0600)) {
      RametException damaged =
          assertThrows(
              RametException.class,
              () -> export.files().copy(export.files().item("kernel"), copy, ExportEdits.meter()));
      assertEquals(ErrorCode.CORRUPT, damaged.code());
      assertTrue(String.valueOf(damaged.getMessage()).startsWith(kernel + " is damaged"));
    }
    Path manifest = directory.resolve("manifest.json");
    Files.writeString(manifest, Files.readString(manifest).replace("before", "behind"));
    refused(ErrorCode.CORRUPT, manifest + " is damaged");
  }

  @ParameterizedTest
  @ValueSource(strings = {"kernel", "devices/state", "devices", "disk.raw", "export.json", "more"})
  void linksAreRefusedWhereverTheyLead(String name) throws Exception {
    Path path = directory.resolve(name);
    Path moved = scratch.resolve("moved");
    if (Files.exists(path)) {
      Files.move(path, moved);
    }
    Files.createSymbolicLink(path, moved);
    refused(ErrorCode.INVALID_ARGUMENT, path + " is a symbolic link");
  }

  @Test
  void whatIsNotAFileIsRefused() throws Exception {
    Path kernel = directory.resolve("kernel");
    Files.delete(kernel);
    Files.createDirectory(kernel);
    refused(ErrorCode.INVALID_ARGUMENT, kernel + " is not a regular file");
  }

  @ParameterizedTest
  @CsvSource({
    "id, ../../etc",
    "kind, PAUSE",
    "kind, CLONE_BASE",
    "name, ..",
    "name, a/b",
    "createdAt,",
    "kernelArguments,",
    "agentPort, 0",
    "agentPort, 65536",
    "diskBytes, 4096",
    "memoryBytes, 4096",
    "warm, false",
    "identity,",
  })
  void aManifestMustFitWhatLiesBesideIt(String field, String value) throws Exception {
    manifest(m -> m.put(field, value));
    refused(ErrorCode.INVALID_ARGUMENT, "its " + field + " differs");
  }

  @Test
  void aManifestThatIsNoneIsRefused() throws Exception {
    manifest(m -> m.put("deleted", true));
    refused(ErrorCode.INVALID_ARGUMENT, "its state differs");
    manifest(m -> m.put("deleted", false).put("kind", "OTHER"));
    refused(ErrorCode.INVALID_ARGUMENT, "is not a manifest");
    manifest(m -> m.put("kind", "SNAPSHOT").putObject("identity").put("hypervisor", "qemu"));
    refused(ErrorCode.INVALID_ARGUMENT, "is not a manifest");
  }
}
