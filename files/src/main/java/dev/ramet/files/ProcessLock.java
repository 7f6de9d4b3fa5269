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
 * Held by the one who changes a file, among all threads and processes of this machine. A process
 * that dies gives it back. Whoever closes it must be the thread that made it.
 */
public final class ProcessLock implements AutoCloseable {
  /** A process has each lock on a file once: its threads must agree beforehand. */
  private static final ReentrantLock WRITER = new ReentrantLock();

  private final FileChannel channel;

  /**
   * Waits until nobody else holds it.
   *
   * @param file a file that is only for this, readable for its owner alone; made where it is
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
      channel.close(); // which gives the lock back
    } finally {
      WRITER.unlock();
    }
  }

  private static void createUnlessThere(Path path) throws IOException {
    try {
      Files.createFile(path, AtomicFile.OWNER_ONLY);
    } catch (FileAlreadyExistsException e) {
      // Another run made it, which is as good.
    }
  }
}
