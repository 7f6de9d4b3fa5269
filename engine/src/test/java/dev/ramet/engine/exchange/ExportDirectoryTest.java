// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an export is read back as it was written, and that anything else is refused. */
final class ExportDirectoryTest extends ExportGround {
  @Test
  void whatIsWrittenIsRead() throws Exception {
    ExportDirectory export = ExportDirectory.open(directory);
    assertEquals(snapshot(true), export.snapshot());
    assertEquals(6, export.files().count());
    assertEquals(-1, Files.mismatch(scratch.resolve("disk"), directory.resolve("disk.raw")));
    assertTrue(PathCalls.stat(directory.resolve("memory.raw")).allocatedBytes() < 1 << 20);
    for (String name : List.of("disk.raw", "memory.raw", "kernel", "devices/state")) {
      ExportRecord.Item item = export.files().requireItem(name);
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
    assertEquals(snapshot(false), ExportDirectory.open(write("cold", false)).snapshot());
  }

  @Test
  void aTargetThatIsThereIsNotTouched() throws Exception {
    RametException taken = assertThrows(RametException.class, () -> write("export", true));
    assertEquals(ErrorCode.ALREADY_EXISTS, taken.code());
    ExportDirectory.open(directory);
    Path link = Files.createSymbolicLink(scratch.resolve("link"), Path.of("nowhere"));
    assertThrows(RametException.class, () -> new ExportName(link).refuseTaken());
  }

  @Test
  void progressIsToldAndStops() throws Exception {
    List<Long> told = new ArrayList<>();
    ProgressMeter meter =
        new ProgressMeter(
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
    ExportEdits.record(directory, r -> r.put("format", 4).remove("files"));
    String remedy = String.valueOf(refused(ErrorCode.UNSUPPORTED, "format 4").remedy());
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
}
