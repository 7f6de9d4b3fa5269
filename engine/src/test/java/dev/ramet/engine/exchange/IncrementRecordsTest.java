// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static dev.ramet.engine.exchange.ExportEdits.item;
import static dev.ramet.engine.exchange.IncrementGround.DISK_BYTES;
import static dev.ramet.engine.exchange.IncrementGround.PAGE;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that invalid records of increments are refused. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IncrementRecordsTest {
  private final IncrementGround ground;

  IncrementRecordsTest(@TempDir Path root) throws Exception {
    ground = new IncrementGround(root);
  }

  static Stream<Arguments> records() {
    return Stream.of(
        changes("does not say what it builds on", r -> r.remove("base")),
        changes("does not say what it builds on", r -> r.withObject("/base").remove("id")),
        changes("does not say what it builds on", r -> r.withObject("/base").put("id", "../x")),
        changes("does not say what it builds on", r -> r.withObject("/base").remove("content")),
        changes("names its base in an invalid way", r -> r.withObject("/base").put("name", "a/b")),
        changes("what its base holds", r -> r.withObject("/base/content").remove("disk")),
        changes("what its base holds", r -> r.withObject("/base/content").remove("memory")),
        changes("what its base holds", r -> r.withObject("/base/content/disk").put("sha256", "x")),
        changes("what its base holds", r -> r.withObject("/base/content/disk").remove("sha256")),
        changes(
            "what its base holds",
            r -> r.withObject("/base/content/memory").put("sizeBytes", Long.MAX_VALUE)),
        changes("what image results from memory.delta", r -> r.remove("composed")),
        changes("does not name disk.raw", r -> r.withArray("composed").remove(1)),
        changes("a file without a path", r -> r.withArray("composed").addNull()),
        changes(
            "what image results from memory.delta",
            r ->
                item(r, "composed", "memory.raw")
                    .put("path", "initrd")
                    .put("sha256", "0".repeat(64))),
        changes("names disk.raw twice", r -> item(r, "composed", "kernel").put("path", "disk.raw")),
        changes("names initrd twice", r -> item(r, "composed", "kernel").put("path", "initrd")),
        changes(
            "an export never contains: devices/x",
            r -> item(r, "composed", "kernel").put("path", "devices/x")),
        changes(
            "no SHA-256 of kernel",
            r -> item(r, "composed", "kernel").put("sha256", "64k:" + "0".repeat(64))),
        changes(
            "no SHA-256 of disk.delta",
            r -> item(r, "files", "disk.delta").put("sha256", "64k:" + "0".repeat(64))),
        changes("no SHA-256 of disk.raw", r -> item(r, "composed", "disk.raw").put("sha256", "")),
        changes(
            "disk.raw cannot have -1 bytes",
            r -> item(r, "composed", "disk.raw").put("sizeBytes", -1)),
        changes(
            "disk.raw cannot have 9223372036854775807 bytes",
            r -> item(r, "composed", "disk.raw").put("sizeBytes", Long.MAX_VALUE)),
        changes(
            "its diskBytes differs",
            r -> item(r, "composed", "disk.raw").put("sizeBytes", DISK_BYTES + PAGE)));
  }

  private static Arguments changes(String part, Consumer<ObjectNode> change) {
    return Arguments.of(part, change);
  }

  @ParameterizedTest
  @MethodSource("records")
  void aRecordThatMakesNoSenseIsRefused(String part, Consumer<ObjectNode> change) throws Exception {
    IncrementCopy copy = ground.copy();
    copy.record(change);
    copy.refused(ErrorCode.INVALID_ARGUMENT, part);
  }

  @Test
  void aWholeExportHasNoDeltas() throws Exception {
    IncrementCopy copy = ground.copy();
    copy.record(r -> r.put("format", 1));
    copy.refused(
        ErrorCode.INVALID_ARGUMENT, "names a file that an export never contains: disk.delta");
    copy.record(r -> r.put("format", 4));
    copy.refused(ErrorCode.UNSUPPORTED, "format 4");
  }
}
