// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log, which records who did what: one line of JSON for each request that changes
 * something or was refused. A file that has grown large is renamed to {@code .1}, that one to
 * {@code .2}, and so on; the oldest is deleted. If the log cannot be written, the host's log says
 * so and the request still succeeds. Thread-safe.
 */
final class AuditLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
  static final int KEPT = 4;

  private final Path file;
  private final long mostBytes;
  private @Nullable FileChannel channel;
  private boolean failing;

  AuditLog(Path file, long mostBytes) {
    this.file = file;
    this.mostBytes = mostBytes;
  }

  /** Adds a line. */
  synchronized void add(byte[] line) {
    try {
      FileChannel open = open();
      if (open.size() > 0 && open.size() + line.length + 1 > mostBytes) {
        open = rotated();
      }
      ByteBuffer bytes = ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
      while (bytes.hasRemaining()) {
        open.write(bytes);
      }
      failing = false;
    } catch (IOException e) {
      if (!failing) { // once, not with every request
        LOG.error("the audit log cannot be written: {}: {}", file, e.toString());
      }
      failing = true;
      close();
    }
  }

  private FileChannel open() throws IOException {
    FileChannel open = channel;
    if (open == null) {
      open =
          FileChannel.open(
              file,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      channel = open;
    }
    return open;
  }

  private FileChannel rotated() throws IOException {
    close();
    for (int i = KEPT - 1; i >= 0; i--) {
      Path from = i == 0 ? file : numbered(i);
      if (Files.exists(from)) {
        Files.move(from, numbered(i + 1), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return open();
  }

  private Path numbered(int i) {
    return file.resolveSibling(file.getFileName() + "." + i);
  }

  @Override
  public synchronized void close() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      LOG.warn("closing {}: {}", file, e.toString());
    }
    channel = null;
  }
}
