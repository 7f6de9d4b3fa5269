// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.ramet.spi.storage.Attachment;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Accesses nodes that are files or block devices. */
final class FileNodeIo implements NodeIo {
  @Override
  public byte[] read(Attachment node, long offset, int lengthBytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(lengthBytes);
    try (FileChannel channel = FileChannel.open(node.path(), READ)) {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, offset + buffer.position()) < 0) {
          throw new EOFException(node.path() + " ends before " + (offset + lengthBytes));
        }
      }
    }
    return buffer.array();
  }

  @Override
  public void write(Attachment node, long offset, byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    try (FileChannel channel = FileChannel.open(node.path(), WRITE)) {
      while (buffer.hasRemaining()) {
        channel.write(buffer, offset + buffer.position());
      }
    }
  }

  @Override
  public void discard(Attachment node, long offset, long lengthBytes) throws IOException {
    // The JDK has no API for it; util-linux is on every Linux host.
    Process process =
        new ProcessBuilder(
                "fallocate",
                "--punch-hole",
                "--keep-size",
                "--offset",
                Long.toString(offset),
                "--length",
                Long.toString(lengthBytes),
                node.path().toString())
            .redirectErrorStream(true)
            .start();
    try {
      String output =
          new String(
              process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException("fallocate: " + output.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      process.destroyForcibly();
    }
  }
}
