// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.spi.storage.ImageCompaction;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * Rewrites the most fragmented parts of snapshots. A part is written contiguously to an unnamed
 * file, whose blocks then replace the part's blocks: readers see the same content before, during
 * and after that, and the file system's journal, which records the new places, is written only
 * after the data. So a crash leaves only parts in their old or new place.
 *
 * <p>Thread-safe; the caller holds the snapshot.
 */
public final class Compactor implements AutoCloseable {
  /** The maximum that one call rewrites, which bounds the work it may leave. */
  private static final long MAX_BYTES = 256L << 20;

  private static final int BUFFER_BYTES = 1 << 20;

  /** The working time between two rests. */
  private static final long WORK_NANOS = 5_000_000;

  private final Layout layout;
  private final Disk disk;
  private final BlockSharing strategy;
  private int running;
  private volatile boolean closed;

  Compactor(Layout layout, Disk disk, BlockSharing strategy) {
    this.layout = layout;
    this.disk = disk;
    this.strategy = strategy;
  }

  /**
   * Runs the compaction until it is done, or until another thread wants to change or delete the
   * snapshot.
   */
  public ImageCompaction.Compacted compact(
      NodeIndex.Entry snapshot, long mostAddedBytes, Throttle pace) throws LinuxException {
    enter();
    try (Fd image =
        Fd.open(
            layout.file(snapshot.origin(), snapshot.id()),
            Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW),
            0)) {
      Fragmentation found = Fragmentation.of(image);
      List<Fragmentation.Part> parts = found.worst(MAX_BYTES, mostAddedBytes);
      if (parts.isEmpty()) {
        return new ImageCompaction.Compacted(found.pieces(), found.pieces(), 0, 0);
      }
      long written = 0;
      long added = 0;
      try (Fd fresh =
          disk.makeUnnamed(layout.directory(snapshot.origin()), NodeFiles.VOLUME_MODE)) {
        strategy.match(image, fresh);
        fresh.truncate(image.sizeBytes());
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        long begun = System.nanoTime();
        for (Fragmentation.Part part : parts) {
          if (unwanted(snapshot)) {
            break;
          }
          move(image, fresh, part, buffer);
          written += part.lengthBytes();
          added += part.sharedBytes();
          if (System.nanoTime() - begun >= WORK_NANOS) {
            pace.pause(begun, () -> unwanted(snapshot));
            begun = System.nanoTime();
          }
        }
        // Truncates now rather than waiting for the file system: until then the parts count as
        // shared with this file.
        fresh.truncate(0);
      }
      return new ImageCompaction.Compacted(
          found.pieces(), Fragmentation.of(image).pieces(), written, added);
    } finally {
      leave();
    }
  }

  private boolean unwanted(NodeIndex.Entry snapshot) {
    return closed || snapshot.hasWaitingWriter();
  }

  private void move(Fd image, Fd fresh, Fragmentation.Part part, ByteBuffer buffer)
      throws LinuxException {
    // Not within the kernel: copy_file_range(2) would share the blocks instead of writing new ones.
    buffer.clear().limit((int) part.lengthBytes());
    int read = image.pread(buffer, part.offset());
    disk.steps().before("write anew");
    fresh.pwrite(buffer.flip(), part.offset());
    disk.steps().before("share blocks");
    strategy.share(fresh, image, part.offset(), read);
  }

  private synchronized void enter() {
    if (closed) {
      throw new RametException(ErrorCode.UNAVAILABLE, "closed: " + layout.volumes());
    }
    running++;
  }

  private synchronized void leave() {
    running--;
    notifyAll();
  }

  /** Stops a compaction under way and waits for its end. */
  @Override
  public synchronized void close() {
    closed = true;
    boolean interrupted = false;
    while (running > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
