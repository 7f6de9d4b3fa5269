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
 * The saved state of the reference hypervisor: a line of text, and memory that holds the guest's
 * number, and in each other page its offset.
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
      out.setLength(memoryBytes);
      // Every page has content, so that one that is lost is seen.
      for (long at = 0; at < memoryBytes; at += FaultedMemory.pageBytes()) {
        out.seek(at);
        out.writeLong(at == 0 ? count : at);
      }
    }
  }

  /** Refuses a directory that holds no saved devices. */
  static void checkDevices(SavedVm saved) {
    try {
      if (!Files.readString(saved.devices().resolve(DEVICES)).equals(LINE)) {
        throw new RametException(ErrorCode.CORRUPT, "not a saved state: " + saved.devices());
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.CORRUPT, "no saved state: " + e.getMessage(), e);
    }
  }

  /** Writes the memory of a machine whose pages are fetched when they are touched. */
  static void writeMemory(long count, FaultedMemory memory, Path image) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(image.toFile(), "rw")) {
      for (long at = 0; at < memory.sizeBytes(); at += FaultedMemory.pageBytes()) {
        out.seek(at);
        out.write(memory.page(at));
      }
      out.seek(0);
      out.writeLong(count);
    }
  }

  /** Returns the saved machine's counter. */
  static long read(SavedVm saved, VmSpec spec) {
    Path image = saved.memory().path();
    checkDevices(saved);
    try {
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
