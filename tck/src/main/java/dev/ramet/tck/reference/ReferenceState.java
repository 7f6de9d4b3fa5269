// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The saved state of the reference hypervisor: a line of text, and memory that holds one number.
 */
final class ReferenceState {
  /** The file in the directory of a saved state. */
  static final String DEVICES = "devices";

  private static final String LINE = "the devices of a reference machine\n";

  private ReferenceState() {}

  static void write(Path directory) {
    try {
      Files.writeString(directory.resolve(DEVICES), LINE);
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot save: " + e.getMessage(), e);
    }
  }

  static void writeMemory(long count, long memoryBytes, Path image) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(image.toFile(), "rw")) {
      out.writeLong(count);
      out.setLength(memoryBytes);
    }
  }

  /** Returns the saved machine's counter. */
  static long read(SavedVm saved, VmSpec spec) {
    Path image = saved.memory().path();
    try {
      if (!Files.readString(saved.devices().resolve(DEVICES)).equals(LINE)) {
        throw new RametException(ErrorCode.CORRUPT, "not a saved state: " + saved.devices());
      }
      if (Files.size(image) != spec.memoryBytes()) {
        throw new RametException(ErrorCode.CORRUPT, "not the memory of this machine: " + image);
      }
      try (RandomAccessFile in = new RandomAccessFile(image.toFile(), "r")) {
        return in.readLong();
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.CORRUPT, "no saved state: " + e.getMessage(), e);
    }
  }
}
