// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.Fd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that a damaged export is refused, and that the error names the damaged file. */
final class DamagedExportTest extends ExportGround {
  /** Changes the manifest, and updates the record to match. */
  private void manifest(Consumer<ObjectNode> change) throws Exception {
    ExportEdits.rewrite(directory.resolve(ExportRecord.MANIFEST), change);
    ExportEdits.fit(directory, ExportRecord.MANIFEST);
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
    ExportDirectory export = ExportDirectory.open(directory);
    try (Fd copy = Fd.createNew(scratch.resolve("copy"), 0600)) {
      RametException damaged =
          assertThrows(
              RametException.class,
              () ->
                  export
                      .files()
                      .copy(export.files().requireItem("kernel"), copy, ExportEdits.meter()));
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
