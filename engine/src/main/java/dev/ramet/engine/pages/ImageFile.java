// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.DiskFullErrors;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.CopyOnWriteExtent;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.FullFileSystem;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.linux.file.WriteLease;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.util.Set;

/** A memory image that is a file or block device of this host. */
final class ImageFile implements ImageTarget {
  private static final System.Logger LOG = System.getLogger(ImageFile.class.getName());
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  private final Path path;
  private final Fd file;
  private final long sizeBytes;

  private ImageFile(Path path, Fd file, long sizeBytes) {
    this.path = path;
    this.file = file;
    this.sizeBytes = sizeBytes;
  }

  /**
   * Opens an image that nobody else uses.
   *
   * @throws RametException {@code CONFLICT} when the attachment is read-only or the image is in
   *     use, {@code HOST_UNFIT} when the image cannot be opened
   */
  static ImageFile open(Attachment image) {
    Path path = image.path();
    if (image.readOnly()) {
      throw new RametException(ErrorCode.CONFLICT, "memory image is read-only: " + path);
    }
    Fd file;
    try {
      file = Fd.open(path, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0);
    } catch (LinuxException e) {
      throw failure(path, e);
    }
    boolean mine = false;
    try {
      requireSoleUse(path, file);
      limitReserve(path, file);
      ImageFile opened = new ImageFile(path, file, file.sizeBytes());
      mine = true;
      return opened;
    } catch (LinuxException e) {
      throw failure(path, e);
    } finally {
      if (!mine) {
        file.close();
      }
    }
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public void write(NativeBuffer from, long bufferOffset, long lengthBytes, long imageOffset) {
    try {
      file.pwrite(from.address() + bufferOffset, lengthBytes, imageOffset);
    } catch (LinuxException e) {
      throw failure(path, e);
    }
  }

  /** Some devices and file systems have no holes. */
  @Override
  public boolean punchHole(long imageOffset, long lengthBytes) {
    try {
      file.punchHole(imageOffset, lengthBytes);
      return true;
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EOPNOTSUPP) {
        throw failure(path, e);
      }
      return false;
    }
  }

  @Override
  public void beginWriteBack(long imageOffset, long lengthBytes) {
    try {
      file.beginWriteBack(imageOffset, lengthBytes);
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "no early write-back of {0}: {1}", path, e.getMessage());
    }
  }

  @Override
  public void close() {
    file.close();
  }

  /**
   * Refuses an image that a machine has mapped or anybody else has open, because its content would
   * change under them. If the kernel cannot tell, the attachment is trusted.
   */
  private static void requireSoleUse(Path path, Fd file) {
    boolean sole;
    try {
      sole = WriteLease.isSoleOpener(file);
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "users of {0} unknown: {1}", path, e.getMessage());
      return;
    }
    if (!sole) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "memory image " + path + " is in use: somebody has it open or mapped",
          "captures are written to images that nobody uses yet; find who does with: fuser -v "
              + path,
          null);
    }
  }

  /**
   * Limits the space that the file system reserves around a shared block for later writes: each
   * page is written once, in ascending order, so the reserve would only waste space for a while. A
   * file system without this setting is fine.
   */
  private static void limitReserve(Path path, Fd file) {
    try {
      CopyOnWriteExtent.set(file, PAGE);
    } catch (LinuxException e) {
      LOG.log(
          System.Logger.Level.DEBUG, "no limit on the reserve of {0}: {1}", path, e.getMessage());
    }
  }

  /** Translates a failed write to an image. */
  private static RametException failure(Path path, LinuxException e) {
    String what = "memory image " + path + " cannot be written";
    return switch (e.errno()) {
      case LinuxException.ENOSPC -> DiskFullErrors.error(what, path, e);
      case LinuxException.EDQUOT ->
          new RametException(
              ErrorCode.NO_SPACE,
              what + ": the disk quota is used up on " + FsInfo.describe(path),
              "delete snapshots or sandboxes that are not needed, or raise the quota",
              e);
      default -> {
        FullFileSystem full = FullFileSystem.find(path, 0);
        // When a device's backing file cannot grow, it fails like a broken device.
        yield e.errno() == LinuxException.EIO && full != null
            ? DiskFullErrors.error(what, path, e)
            : new RametException(
                ErrorCode.HOST_UNFIT,
                what + ": " + e.getMessage() + " on " + FsInfo.describe(path),
                "look for the cause in dmesg",
                e);
      }
    };
  }
}
