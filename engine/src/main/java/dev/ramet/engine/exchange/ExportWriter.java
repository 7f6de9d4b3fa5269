// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.pages.ImageComparison;
import dev.ramet.engine.state.ImageContent;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.PathCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the directory of an export, readable only by its owner, and renames it to its final name
 * when everything in it is durable. The caller removes what a failure leaves. Used by one thread.
 */
public final class ExportWriter {
  private static final Set<String> NETWORK = Set.of("nfs", "cifs", "9p", "fuse");
  private static final int OWNER_DIRECTORY = 0700;
  private static final int OWNER_FILE = 0600;

  private final Path directory;
  private final ExportName target;
  private final ProgressMeter meter;
  private final List<ExportRecord.Item> items = new ArrayList<>();
  private final List<ExportRecord.Item> composed = new ArrayList<>();
  private long dataBytes;

  /**
   * Creates the directory.
   *
   * @param directory its temporary name, in the target's directory
   * @param target its final name
   */
  public ExportWriter(Path directory, ExportName target, ProgressMeter meter) {
    this.directory = directory;
    this.target = target;
    this.meter = meter;
    makeDirectory(directory);
  }

  private void makeDirectory(Path path) {
    try {
      PathCalls.makeDirectory(path, OWNER_DIRECTORY);
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /** Returns whether the directory is, or may be, on a network file system. */
  public boolean isOverNetwork() {
    try {
      return NETWORK.contains(FsInfo.of(directory).typeName());
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /** Returns the path for a file that the caller writes and then passes to {@link #add}. */
  public Path path(String name) {
    return directory.resolve(name);
  }

  /** Adds a file that was written durably at its path. Copying it has been counted already. */
  public void add(String name) {
    try (Fd file = Fd.openRead(path(name))) {
      long size = file.sizeBytes();
      addItem(name, size, ImageCopier.read(file, size, null, meter));
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /**
   * Copies a file or block device into the export.
   *
   * @param sizeBytes how much of it to copy
   */
  public void copy(String name, Path source, long sizeBytes) {
    try (Fd from = Fd.openRead(source);
        Fd to = Fd.createNew(path(name), OWNER_FILE)) {
      addItem(name, sizeBytes, ImageCopier.read(from, sizeBytes, to, meter));
      to.fsync();
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /** Copies a whole file into the export. */
  public void copy(String name, Path source) {
    try {
      copy(name, source, PathCalls.stat(source).sizeBytes());
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /**
   * Copies a whole file into the export, unless the base has the same: then it is only recorded.
   */
  public void copyUnlessSame(String name, Path source, Path base) throws IOException {
    if (Files.isRegularFile(base, LinkOption.NOFOLLOW_LINKS) && Files.mismatch(source, base) < 0) {
      try (Fd file = Fd.openRead(source)) {
        long size = file.sizeBytes();
        compose(name, size, ImageCopier.read(file, size, null, meter));
        meter.add(size);
      } catch (LinuxException e) {
        throw failed(e);
      }
    } else {
      copy(name, source);
    }
  }

  /**
   * Writes the differences of an image from another one. Neither may change meanwhile.
   *
   * @param delta name of the file to write
   * @param name name of the image that it produces
   * @param baseBytes the base's size
   * @param sizeBytes the image's size
   * @return the base's content
   */
  public ImageContent.Image delta(
      String delta, String name, Path base, long baseBytes, Path image, long sizeBytes) {
    try (Fd from = Fd.openRead(base);
        Fd of = Fd.openRead(image);
        Fd to = Fd.createNew(path(delta), OWNER_FILE)) {
      DeltaWriter writer = new DeltaWriter(of, sizeBytes, baseBytes, to);
      BitSet differing = new BitSet();
      new ImageComparison(base, image, 0).run(watcher(writer, differing));
      ImageCopier.Summary written = writer.finish();
      to.fsync();
      addItem(delta, writer.writtenBytes(), written);
      BlockDigest.Pair digests =
          BlockDigest.ofBoth(from, baseBytes, of, sizeBytes, differing, meter);
      composed.add(new ExportRecord.Item(name, sizeBytes, digests.image()));
      return new ImageContent.Image(baseBytes, digests.base());
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /** Computes a digest of an image, of the same kind as another digest. */
  String digest(String kind, Path image, long sizeBytes) {
    try (Fd file = Fd.openRead(image)) {
      return BlockDigest.of(kind, file, sizeBytes, meter);
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  private ImageComparison.DifferenceListener watcher(DeltaWriter writer, BitSet differing) {
    return new ImageComparison.DifferenceListener() {
      @Override
      public void onCompared(long bytes) {
        meter.add(bytes);
      }

      @Override
      public void onDifference(long offset, long length) {
        differing.set(blockAt(offset), blockAt(offset + length - 1) + 1);
        try {
          writer.addRange(offset, length);
        } catch (LinuxException e) {
          throw failed(e);
        }
      }
    };
  }

  private static int blockAt(long offset) {
    return Math.toIntExact(offset / BlockDigest.BLOCK);
  }

  private void compose(String name, long sizeBytes, ImageCopier.Summary content) {
    composed.add(new ExportRecord.Item(name, sizeBytes, content.sha256()));
  }

  /** Creates the directory of the device state. */
  public void makeDevices() {
    makeDirectory(path(ExportRecord.DEVICES));
  }

  /**
   * Writes the manifest and the record.
   *
   * @param base the base, or null for a whole export
   */
  public void finish(SnapshotRecord snapshot, ExportRecord.@Nullable Base base) {
    byte[] manifest = JsonFile.bytes(snapshot);
    write(ExportRecord.MANIFEST, manifest);
    String digest = HexFormat.of().formatHex(ImageCopier.sha256().digest(manifest));
    addItem(
        ExportRecord.MANIFEST, manifest.length, new ImageCopier.Summary(digest, manifest.length));
    write(
        ExportRecord.FILE,
        JsonFile.bytes(
            new ExportRecord(
                base == null ? ExportRecord.FORMAT : ExportRecord.INCREMENT,
                snapshot.id(),
                snapshot.name(),
                Instant.now(),
                items,
                base,
                base == null ? null : composed)));
    try {
      Path devices = path(ExportRecord.DEVICES);
      if (Files.isDirectory(devices)) {
        Fd.syncDirectory(devices);
      }
      Fd.syncDirectory(directory);
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /** Renames the directory to its final name, if that is still free. */
  public void publish() {
    target.assign(directory);
  }

  /** Makes the rename durable. */
  public void syncName() {
    target.sync();
  }

  /** Returns the number of files, including the record. */
  public int files() {
    return items.size() + 1;
  }

  /** Returns the sum of the files' sizes, without the record's. */
  public long sizeBytes() {
    return items.stream().mapToLong(ExportRecord.Item::sizeBytes).sum();
  }

  /** Returns how many bytes of the files are not holes. */
  public long dataBytes() {
    return dataBytes;
  }

  private void addItem(String name, long sizeBytes, ImageCopier.Summary content) {
    items.add(new ExportRecord.Item(name, sizeBytes, content.sha256()));
    dataBytes += content.dataBytes();
  }

  private void write(String name, byte[] bytes) {
    try (Fd to = Fd.createNew(path(name), OWNER_FILE)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
      to.pwrite(buffer, 0);
      to.fsync();
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  private RametException failed(LinuxException e) {
    return target.failed(e);
  }
}
