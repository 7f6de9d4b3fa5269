// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A copy of an increment that a test may damage.
 *
 * @param directory the copy's directory
 * @param scratch an empty directory for results
 */
record IncrementCopy(Path directory, Path scratch) {
  /** Returns the path of an image that must not be created. */
  Path target() {
    return scratch.resolve("target");
  }

  /** Applies the increment to a copy of the base's image. */
  void apply(String image, Path to) throws IOException, LinuxException {
    ExportDirectory export = ExportDirectory.open(directory);
    ExportFiles files = export.files();
    Increment increment = export.increment();
    if (increment == null) {
      throw new AssertionError("it builds on nothing");
    }
    ExportRecord.Item delta = files.requireItem(Increment.delta(image));
    long base = increment.baseImage(image).sizeBytes();
    long size = files.requireProducedItem(image).sizeBytes();
    files.checkDelta(delta, base, size, ExportEdits.meter());
    try (RandomAccessFile file = new RandomAccessFile(to.toFile(), "rw")) {
      file.setLength(size);
    }
    try (Fd file = Fd.open(to, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
      files.apply(delta, base, size, new Into(file), ExportEdits.meter());
    }
  }

  /** Writes the differences into a file. */
  private record Into(Fd file) implements DeltaReader.Sink {
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

  /** Asserts that applying the disk's delta is refused. */
  void refused(ErrorCode code, String part) {
    RametException e = assertThrows(RametException.class, () -> apply("disk.raw", target()));
    assertEquals(code, e.code(), e.toString());
    assertTrue(String.valueOf(e.getMessage()).contains(part), e.toString());
  }

  /** Changes the record. */
  void record(Consumer<ObjectNode> change) throws IOException {
    ExportEdits.record(directory, change);
  }

  /** Replaces the disk's delta, and updates the record to match. */
  void replace(byte[] delta) throws IOException {
    Files.write(directory.resolve("disk.delta"), delta);
    ExportEdits.fit(directory, "disk.delta");
  }
}
