// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.tree.TreeAttributes;
import dev.ramet.linux.tree.TreeEntry;
import dev.ramet.linux.tree.TreeName;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Serves a guest's file requests on a volume. The guest is not trusted: the caller limits the size
 * of its requests, and every name stays below the volume. Used by one thread.
 */
final class GuestFileServer {
  /** Limit on what a guest reads or writes with one request. */
  static final int MAX_DATA_BYTES = 128 << 10;

  private static final int EIO = 5;
  private static final int ENOSYS = 38;
  // Limits the memory that a guest can make the host use, at 300 bytes per name.
  private static final int MAX_NAMES = 100_000;
  private static final int PAGE_BYTES = 256 << 10;
  private static final int ANSWER_HEAD = 20;
  private static final long UNIT = 4096;

  // Bits of the attributes to set: FATTR_* of linux/fuse.h.
  private static final int MODE = 1;
  private static final int UID = 2;
  private static final int GID = 4;
  private static final int SIZE = 8;
  private static final int ATIME = 16;
  private static final int MTIME = 32;
  private static final int ATIME_NOW = 128;
  private static final int MTIME_NOW = 256;

  private final OpenVolume volume;
  private final GuestChanges changes;
  private final ByteBuffer data = ByteBuffer.allocateDirect(MAX_DATA_BYTES);
  private final ByteBuffer out = ByteBuffer.allocate(ANSWER_HEAD + PAGE_BYTES + 4096);

  GuestFileServer(OpenVolume volume) {
    this.volume = volume;
    this.changes = new GuestChanges(volume, data, out);
  }

  /**
   * Carries out a request and returns the response.
   *
   * @param request its frame without the length
   * @return the response's frame without the length; valid until the next call
   */
  ByteBuffer handle(ByteBuffer request) {
    out.clear().position(ANSWER_HEAD);
    long epoch = 0;
    long number = 0;
    int errno;
    try {
      epoch = request.getLong();
      number = request.getLong();
      boolean again = request.get() != 0;
      int operation = request.get();
      errno = 0;
      try {
        handle(new RequestJournal.Key(epoch, number), again, operation, request);
      } catch (LinuxException e) {
        errno = e.errno();
      } catch (IOException e) {
        errno = EIO; // the request cannot be recorded, for example because the disk is full
      }
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      errno = LinuxException.EINVAL;
    }
    if (errno != 0) {
      out.position(ANSWER_HEAD);
    }
    out.putLong(0, epoch).putLong(Long.BYTES, number).putInt(2 * Long.BYTES, errno);
    return out.flip();
  }

  private void handle(RequestJournal.Key key, boolean again, int operation, ByteBuffer in)
      throws LinuxException, IOException {
    switch (operation) {
      case 1 -> stat(in);
      case 2 -> setAttributes(in);
      case 3 -> list(in);
      case 4 -> read(in);
      case 5 -> changes.write(key, again, in);
      case 6 -> changes.create(key, again, in);
      case 7 -> changes.makeDirectory(key, again, in);
      case 8 -> changes.unlink(key, again, in);
      case 9 -> changes.removeDirectory(key, again, in);
      case 10 -> changes.rename(key, again, in);
      case 11 -> changes.symlink(key, again, in);
      case 12 -> readLink(in);
      case 13 -> changes.link(key, again, in);
      case 14 -> sync(in);
      case 15 -> space();
      case 16 -> changes.unlinkOpen(key, again, in);
      default -> throw errorResponse(ENOSYS);
    }
  }

  private void stat(ByteBuffer in) throws LinuxException {
    GuestPath place = GuestPath.read(volume, in);
    try (Fd fd = place.openIfSame(in.getLong())) {
      putAttributes(out, TreeAttributes.of(fd));
    }
  }

  private void setAttributes(ByteBuffer in) throws LinuxException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    int valid = in.getInt();
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    long size = in.getLong();
    long accessed = in.getLong();
    long modified = in.getLong();
    if ((valid & SIZE) != 0) {
      try (Fd file = place.open(identity, true)) {
        file.truncate(size);
      }
    }
    try (Fd fd = place.openIfSame(identity)) {
      if ((valid & (UID | GID)) != 0) {
        TreeAttributes.setOwner(fd, (valid & UID) != 0 ? uid : -1, (valid & GID) != 0 ? gid : -1);
      }
      if ((valid & MODE) != 0) {
        TreeAttributes.setMode(fd, mode);
      }
      if ((valid & (ATIME | MTIME)) != 0) {
        TreeAttributes.setTimes(
            fd, time(valid, ATIME, ATIME_NOW, accessed), time(valid, MTIME, MTIME_NOW, modified));
      }
      putAttributes(out, TreeAttributes.of(fd));
    }
  }

  private static long time(int valid, int given, int now, long nanos) {
    return (valid & given) == 0
        ? TreeAttributes.OMIT
        : (valid & now) != 0 ? TreeAttributes.NOW : nanos;
  }

  private void list(ByteBuffer in) throws LinuxException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    byte[] after = GuestPath.bytes(in);
    place.openIfSame(identity).close();
    List<TreeName> names = place.tree().list(place.name(), MAX_NAMES);
    names.sort(Comparator.comparing(TreeName::bytes, Arrays::compareUnsigned));
    int more = out.position();
    out.put((byte) 0);
    for (TreeName name : names) {
      if (after.length > 0 && Arrays.compareUnsigned(name.bytes(), after) <= 0) {
        continue;
      }
      if (out.position() > PAGE_BYTES) {
        out.put(more, (byte) 1);
        return;
      }
      out.putLong(name.inode()).put(name.type());
      out.putShort((short) name.bytes().length).put(name.bytes());
    }
  }

  private void read(ByteBuffer in) throws LinuxException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    long offset = offset(in);
    int size = in.getInt();
    if (size < 0 || size > MAX_DATA_BYTES) {
      throw errorResponse(LinuxException.EINVAL);
    }
    try (Fd file = place.open(identity, false)) {
      file.pread(data.clear().limit(size), offset);
    }
    out.put(data.flip());
  }

  private void readLink(ByteBuffer in) throws LinuxException {
    GuestPath place = GuestPath.read(volume, in);
    out.put(place.tree().readLink(place.name()));
  }

  private void sync(ByteBuffer in) throws LinuxException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    try (Fd fd = place.openIfSame(identity)) {
      if (TreeAttributes.of(fd).isDirectory()) {
        place.tree().syncDirectory(place.name());
        return;
      }
    }
    try (Fd file = place.open(identity, false)) {
      file.fsync();
    }
  }

  private void space() throws LinuxException {
    FsInfo info = FsInfo.of(volume.directory());
    out.putLong(info.totalBytes() / UNIT).putLong(info.freeBytes() / UNIT);
    out.putLong(info.freeBytes() / UNIT);
    // Free and total file counts are left zero, because file systems do not report them alike.
    out.putLong(0).putLong(0).putInt((int) UNIT).putInt(255);
  }

  static LinuxException errorResponse(int errno) {
    return new LinuxException("request", errno, "volume");
  }

  static long offset(ByteBuffer in) throws LinuxException {
    long offset = in.getLong();
    if (offset < 0 || offset > Long.MAX_VALUE - MAX_DATA_BYTES) {
      throw errorResponse(LinuxException.EFBIG);
    }
    return offset;
  }

  /** Writes an entry's attributes to a response. */
  static void putAttributes(ByteBuffer out, TreeEntry e) {
    out.putLong(e.identity()).putLong(e.inode()).putInt(e.mode()).putInt(e.links());
    out.putInt(e.uid()).putInt(e.gid()).putLong(e.sizeBytes()).putLong(e.blocks());
    out.putLong(e.accessedNanos()).putLong(e.modifiedNanos()).putLong(e.changedNanos());
  }
}
