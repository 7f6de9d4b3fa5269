// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Requirement;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that images are imported and exported with their holes, and that a copy can be stopped.
 */
public abstract class TransferChecks {
  /** Called by the kit. */
  protected TransferChecks() {}

  private static final int SIZE = 32 << 20;
  private static final int DATA_AT = 20 << 20;

  public abstract World world();

  private Path image() throws IOException {
    Path image = world().scratch().resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(SIZE);
      file.seek(DATA_AT);
      file.write("here".getBytes(StandardCharsets.US_ASCII));
    }
    return image;
  }

  private Optional<ImageTransfer> transfer() {
    return world().backend() instanceof ImageTransfer transfer
        ? Optional.of(transfer)
        : Optional.empty();
  }

  @Test
  void importKeepsContentAndHoles() throws Exception {
    StorageBackend backend = world().backend();
    Path image = image();
    assertEquals(new Node(V, Node.Kind.VOLUME, V, SIZE), backend.importFrom(V, image));
    sameAs(image, V);
    long used = backend.usage(V).referencedBytes();
    assertTrue(
        used <= 4 << 20, () -> "an imported image with 4 bytes takes " + used + ": keep holes");
    world().write(V, 0, 'w');
    assertEquals(SIZE, Files.size(image));
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "r")) {
      assertEquals(0, file.read(), "the imported file must not change with the volume");
    }
    world().deleteAll("after an import");
  }

  private void sameAs(Path image, dev.ramet.spi.storage.NodeId id) throws IOException {
    assertArrayEquals(
        Files.readAllBytes(image), world().bytes(id, 0, SIZE), "the content of " + id);
  }

  @Test
  void anEmptyFileIsNoImage() throws Exception {
    Path empty = Files.createFile(world().scratch().resolve("empty"));
    world()
        .refusedWithoutTrace(
            ErrorCode.INVALID_ARGUMENT,
            "import of an empty file",
            () -> world().backend().importFrom(V, empty));
  }

  @Test
  void exportWritesASparseFile() throws Exception {
    if (transfer().isEmpty()) {
      return;
    }
    ImageTransfer transfer = transfer().orElseThrow();
    Path image = image();
    world().backend().importFrom(V, image);
    world().backend().snapshot(V, S, Durability.RELAXED);
    world().write(V, 0, 'w');
    Path target = world().scratch().resolve("target");
    long[] last = {-1, -1};
    transfer.exportTo(
        S,
        target,
        (done, total) -> {
          assertTrue(done >= last[0] && done <= total, "progress never goes back");
          last[0] = done;
          last[1] = total;
          return true;
        });
    assertArrayEquals(new long[] {SIZE, SIZE}, last, "at the end, progress tells all of the size");
    assertEquals(-1, Files.mismatch(image, target), "an export has the node's content");
    assertTrue(allocated(target) <= 4 << 20, "an export must be sparse");
    World.refused(
        ErrorCode.ALREADY_EXISTS,
        "an export over a file",
        () -> transfer.exportTo(V, target, CopyProgress.NONE));
    assertEquals(-1, Files.mismatch(image, target));
    World.refused(
        ErrorCode.NOT_FOUND,
        "an export into nowhere",
        () -> transfer.exportTo(V, target.resolveSibling("no/where"), CopyProgress.NONE));
    World.refused(
        ErrorCode.NOT_FOUND,
        "an export of nothing",
        () -> transfer.exportTo(T, target.resolveSibling("other"), CopyProgress.NONE));
    assertEquals("image target", files());
  }

  private String files() throws IOException {
    try (Stream<Path> files = Files.list(world().scratch())) {
      return String.join(" ", files.map(f -> f.getFileName().toString()).sorted().toList());
    }
  }

  private static long allocated(Path file) throws Exception {
    Process process = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String blocks =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    assertEquals(0, process.waitFor(), "stat");
    return Long.parseLong(blocks) * 512;
  }

  @Test
  void aCopyStopsWhenItIsTold() throws Exception {
    if (transfer().isEmpty()) {
      return;
    }
    ImageTransfer transfer = transfer().orElseThrow();
    Path image = image();
    world()
        .refusedWithoutTrace(
            ErrorCode.CANCELLED,
            "an import that is stopped",
            () -> transfer.importFrom(V, image, ImageFormat.RAW, (done, total) -> false));
    Thread.currentThread().interrupt();
    try {
      world()
          .refusedWithoutTrace(
              ErrorCode.CANCELLED,
              "an import by an interrupted thread",
              () -> transfer.importFrom(V, image, ImageFormat.RAW, CopyProgress.NONE));
    } finally {
      assertTrue(Thread.interrupted(), "an interrupt must stay set");
    }
    world().backend().importFrom(V, image);
    Path target = world().scratch().resolve("target");
    World.refused(
        ErrorCode.CANCELLED,
        "an export that is stopped",
        () -> transfer.exportTo(V, target, (done, total) -> false));
    assertEquals("image", files(), "a stopped export must leave no file");
    world().deleteAll("after copies that were stopped");
  }

  @Test
  void anImageIsNeverTakenForAnotherFormat() throws Exception {
    if (transfer().isEmpty()) {
      return;
    }
    ImageTransfer transfer = transfer().orElseThrow();
    Path qcow2 = Qcow2Image.write(world().scratch().resolve("qcow2"), (byte) 'q', false);
    Node raw = transfer.importFrom(V, qcow2, ImageFormat.RAW, CopyProgress.NONE);
    assertEquals(Files.size(qcow2), raw.sizeBytes(), "what is stated to be raw stays as it is");
    Path plain = image();
    try {
      transfer.importFrom(S, plain, ImageFormat.QCOW2, CopyProgress.NONE);
      org.junit.jupiter.api.Assertions.fail("a raw image is no qcow2 image: refuse it");
    } catch (RametException e) {
      assertTrue(
          e.code() == ErrorCode.INVALID_ARGUMENT || e.code() == ErrorCode.UNSUPPORTED,
          () -> "a raw image stated to be qcow2: " + e);
    }
    Path linked = Qcow2Image.write(world().scratch().resolve("linked"), (byte) 'q', true);
    world()
        .refusedWithoutTrace(
            ErrorCode.UNSUPPORTED,
            "an image that names another file to read",
            () -> transfer.importFrom(S, linked, ImageFormat.QCOW2, CopyProgress.NONE));
  }

  @Test
  void aQcow2ImageComesIn() throws Exception {
    if (transfer().isEmpty()) {
      return;
    }
    ImageTransfer transfer = transfer().orElseThrow();
    Path image = Qcow2Image.write(world().scratch().resolve("qcow2"), (byte) 'q', false);
    String traces = world().harness().traces();
    Node node;
    try {
      node = transfer.importFrom(V, image, ImageFormat.QCOW2, CopyProgress.NONE);
    } catch (RametException e) {
      assertTrue(
          e.code() == ErrorCode.HOST_UNFIT || e.code() == ErrorCode.UNSUPPORTED, e::toString);
      assertFalse(e.remedy() == null, "what cannot be read here needs a remedy");
      assertEquals(traces, world().harness().traces(), "a refused image must leave nothing");
      Requirement.of("qemu-img", e.code() == ErrorCode.UNSUPPORTED, e.toString());
      return;
    }
    assertEquals(new Node(V, Node.Kind.VOLUME, V, Qcow2Image.SIZE), node);
    byte[] expected = new byte[Qcow2Image.SIZE];
    Arrays.fill(expected, Qcow2Image.CLUSTER, 2 * Qcow2Image.CLUSTER, (byte) 'q');
    assertArrayEquals(expected, world().bytes(V, 0, expected.length), "the disk in the image");
  }
}
