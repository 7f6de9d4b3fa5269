// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock on a file that excludes all other threads and processes of this machine. The kernel
 * releases it when the process dies. The thread that created it must close it.
 */
public final class ProcessLock implements AutoCloseable {
  /** A process holds a file lock as a whole, so its threads need a lock among themselves. */
  private static final ReentrantLock WRITER = new ReentrantLock();

  private final FileChannel channel;

  /**
   * Waits until nobody else holds the lock.
   *
   * @param file a file used only for this lock, readable by its owner only; created if it is
   *     missing
   */
  public ProcessLock(Path file) throws IOException {
    WRITER.lock();
    FileChannel opened = null;
    try {
      createUnlessThere(file);
      opened = FileChannel.open(file, StandardOpenOption.WRITE);
      opened.lock(); // until the channel is closed
      channel = opened;
    } catch (IOException | RuntimeException e) {
      if (opened != null) {
        opened.close();
      }
      WRITER.unlock();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close(); // releases the lock
    } finally {
      WRITER.unlock();
    }
  }

  private static void createUnlessThere(Path path) throws IOException {
    try {
      Files.createFile(path, AtomicFile.OWNER_ONLY);
    } catch (FileAlreadyExistsException e) {
      // Another process created it first.
    }
  }
}
