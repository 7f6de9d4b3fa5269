// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;

/** Helpers for the bytes of nodes. */
final class Bytes {
  static final int PAGE = 4096;

  private Bytes() {}

  /** Fills one page of a volume with a value. */
  static void write(StorageBackend backend, NodeId id, long page, int value) {
    byte[] bytes = new byte[PAGE];
    Arrays.fill(bytes, (byte) value);
    try (RandomAccessFile file = new RandomAccessFile(backend.attach(id).path().toFile(), "rw")) {
      file.seek(page * PAGE);
      file.write(bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the first byte of a page. */
  static int read(StorageBackend backend, NodeId id, long page) {
    try (RandomAccessFile file = new RandomAccessFile(backend.attach(id).path().toFile(), "r")) {
      file.seek(page * PAGE);
      return file.read();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks that a call is refused with a code. */
  static RametException refused(ErrorCode code, Executable call) {
    RametException e = assertThrows(RametException.class, call);
    assertEquals(code, e.code(), e.getMessage());
    return e;
  }

  /** Returns all names below a directory, in order: what a failed call must not change. */
  static String tree(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      return String.join(
          "\n", paths.map(path -> directory.relativize(path).toString()).sorted().toList());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
