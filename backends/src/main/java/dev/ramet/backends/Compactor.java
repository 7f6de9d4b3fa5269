// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

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
 * Lays snapshots out anew where they lie in most pieces. A part is written in one piece to a file
 * without a name, whose blocks then take the place of the part's own: what is read there is the
 * same before, meanwhile and after, and the file system's journal, which changes the places, is
 * written only after the data. So nothing is left of a crash but parts in their old or new place.
 *
 * <p>Thread-safe; the caller holds the snapshot.
 */
final class Compactor implements AutoCloseable {
  /** How much one call lays out anew at most, which bounds what it may leave to do. */
  private static final long MOST_BYTES = 256L << 20;

  private static final int BUFFER_BYTES = 1 << 20;

  /** How long is worked without a rest. */
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

  /** Does it, until somebody else wants to change or delete the snapshot. */
  ImageCompaction.Compacted compact(NodeIndex.Entry snapshot, long mostAddedBytes, Pace pace)
      throws LinuxException {
    begin();
    try (Fd image =
        Fd.open(
            layout.file(snapshot.origin(), snapshot.id()),
            Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW),
            0)) {
      Fragments found = Fragments.of(image);
      List<Fragments.Part> parts = found.worst(MOST_BYTES, mostAddedBytes);
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
        for (Fragments.Part part : parts) {
          if (unwanted(snapshot)) {
            break;
          }
          move(image, fresh, part, buffer);
          written += part.lengthBytes();
          added += part.sharedBytes();
          if (System.nanoTime() - begun >= WORK_NANOS) {
            pace.rest(begun, () -> unwanted(snapshot));
            begun = System.nanoTime();
          }
        }
        // Now, not when the file system gets to it: until then the parts count as shared with it.
        fresh.truncate(0);
      }
      return new ImageCompaction.Compacted(
          found.pieces(), Fragments.of(image).pieces(), written, added);
    } finally {
      end();
    }
  }

  private boolean unwanted(NodeIndex.Entry snapshot) {
    return closed || snapshot.isAwaited();
  }

  private void move(Fd image, Fd fresh, Fragments.Part part, ByteBuffer buffer)
      throws LinuxException {
    // Not within the kernel: copy_file_range(2) would share the blocks instead of writing new ones.
    buffer.clear().limit((int) part.lengthBytes());
    int read = image.pread(buffer, part.offset());
    disk.steps().before("write anew");
    fresh.pwrite(buffer.flip(), part.offset());
    disk.steps().before("share blocks");
    strategy.share(fresh, image, part.offset(), read);
  }

  private synchronized void begin() {
    if (closed) {
      throw new RametException(ErrorCode.UNAVAILABLE, "closed: " + layout.volumes());
    }
    running++;
  }

  private synchronized void end() {
    running--;
    notifyAll();
  }

  /** Stops whoever is at it, and waits for that. */
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
