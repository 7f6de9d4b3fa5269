// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Keeps a second engine away from a data root. Given up by the kernel when the process dies. */
final class RootLock implements AutoCloseable {
  private final FileChannel channel;

  private RootLock(FileChannel channel) {
    this.channel = channel;
  }

  static RootLock take(Path dataRoot) throws IOException {
    FileChannel channel =
        FileChannel.open(
            dataRoot.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = tryLock(channel);
    if (lock == null) {
      channel.close();
      throw new RametException(
          ErrorCode.CONFLICT,
          "the data root " + dataRoot + " is in use by another process",
          "stop that one, or give this one another data root",
          null);
    }
    return new RootLock(channel);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
