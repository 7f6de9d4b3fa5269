// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes an uploaded archive to a file, and tells failures of the disk from those of the client.
 */
final class UploadWriter {
  private static final int BUFFER_BYTES = 64 << 10;

  private UploadWriter() {}

  /** Makes room for bytes that have arrived. */
  @FunctionalInterface
  interface Room {
    /** Makes room, or throws when there is none. */
    void make(int bytes) throws IOException;
  }

  /**
   * Writes all of the content to a new file and flushes it to the disk.
   *
   * @throws IOException when the client disconnects or {@code room} cannot tidy
   */
  static void write(InputStream content, Path partial, Room room) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (FileChannel channel = open(partial);
        OutputStream out = Channels.newOutputStream(channel)) {
      for (int n = content.read(buffer); n >= 0; n = content.read(buffer)) {
        room.make(n);
        put(out, partial, buffer, n);
      }
      channel.force(true); // a build may use it after a power loss
    }
  }

  private static FileChannel open(Path partial) {
    try {
      return FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw failed(partial, e);
    }
  }

  private static void put(OutputStream out, Path file, byte[] buffer, int length) {
    try {
      out.write(buffer, 0, length);
    } catch (IOException e) {
      throw failed(file, e);
    }
  }

  private static RametException failed(Path file, IOException e) {
    long left = file.toFile().getUsableSpace();
    return left < BUFFER_BYTES
        ? new RametException(
            ErrorCode.NO_SPACE,
            "no space left for uploaded files",
            "delete templates, snapshots or sandboxes that you no longer need, or enlarge the disk",
            e)
        : new RametException(ErrorCode.HOST_UNFIT, "cannot store an uploaded file: " + e, e);
  }
}
