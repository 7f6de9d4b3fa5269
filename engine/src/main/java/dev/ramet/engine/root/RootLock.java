// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second engine from opening a data root. The kernel releases the lock when the process
 * dies.
 */
public final class RootLock implements AutoCloseable {
  private static final String ASK =
      "if it is a host, send it the command (--server ADDRESS or RAMET_SERVER) or stop it;"
          + " otherwise wait until it is done";

  private final @Nullable FileChannel channel;

  private RootLock(@Nullable FileChannel channel) {
    this.channel = channel;
  }

  /** Takes the lock for an engine. */
  public static RootLock acquire(Path dataRoot) throws IOException {
    return acquire(dataRoot, "stop that process, or use another data root");
  }

  private static RootLock acquire(Path dataRoot, String remedy) throws IOException {
    FileChannel channel =
        FileChannel.open(
            dataRoot.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = tryLock(channel);
    if (lock == null) {
      channel.close();
      throw lockHeld(dataRoot, remedy);
    }
    return new RootLock(channel);
  }

  /**
   * Takes the lock for a process that only inspects a data root. On a read-only file system no
   * engine can open the root, and the lock file exists only if one did before.
   */
  public static RootLock acquireForInspection(Path dataRoot) throws IOException {
    Path file = dataRoot.resolve(".lock");
    if (!Files.getFileStore(dataRoot).isReadOnly()) {
      return acquire(dataRoot, ASK);
    }
    if (!Files.exists(file)) {
      return new RootLock(null);
    }
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    if (channel.tryLock(0, Long.MAX_VALUE, true) == null) {
      channel.close();
      throw lockHeld(dataRoot, ASK);
    }
    return new RootLock(channel);
  }

  private static RametException lockHeld(Path dataRoot, String remedy) {
    return new RametException(
        ErrorCode.CONFLICT,
        "the data root " + dataRoot + " is in use by another process",
        remedy,
        null);
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
    if (channel != null) {
      channel.close();
    }
  }
}
