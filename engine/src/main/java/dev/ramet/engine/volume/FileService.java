// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.Fd;
import dev.ramet.linux.FsInfo;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.Tree;
import dev.ramet.linux.TreeEntry;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Carries out what a guest asks of a volume. The guest is not trusted: what it sends is bounded
 * before it comes here, and every name stays below the volume. Used by one thread.
 */
final class FileService {
  /** How much a guest reads or writes at once, at most. */
  static final int MOST_DATA_BYTES = 128 << 10;

  private static final int EIO = 5;
  private static final int EISDIR = 21;
  private static final int ELOOP = 40;
  private static final int ENOSYS = 38;
  private static final int ESTALE = 116;
  // What a guest may have the host hold in memory, at 300 bytes each.
  private static final int MOST_NAMES = 100_000;
  private static final int PAGE_BYTES = 256 << 10;
  private static final int ANSWER_HEAD = 20;
  private static final long UNIT = 4096;

  // Bits of what is to be set: FATTR_* of linux/fuse.h.
  private static final int MODE = 1;
  private static final int UID = 2;
  private static final int GID = 4;
  private static final int SIZE = 8;
  private static final int ATIME = 16;
  private static final int MTIME = 32;
  private static final int ATIME_NOW = 128;
  private static final int MTIME_NOW = 256;

  private final OpenVolume volume;
  private final ByteBuffer data = ByteBuffer.allocateDirect(MOST_DATA_BYTES);
  private final ByteBuffer out = ByteBuffer.allocate(ANSWER_HEAD + PAGE_BYTES + 4096);

  FileService(OpenVolume volume) {
    this.volume = volume;
  }

  /** A name in one of the two trees of a volume. */
  private static final class Place {
    private final Tree tree;
    private final byte[] name;

    Place(Tree tree, byte[] name) {
      this.tree = tree;
      this.name = name;
    }

    Tree tree() {
      return tree;
    }

    byte[] name() {
      return name;
    }
  }

  /**
   * Answers a request.
   *
   * @param request all of its frame but the length
   * @return the answer's frame without the length; valid until the next call
   */
  ByteBuffer answer(ByteBuffer request) {
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
        answer(new Answers.Key(epoch, number), again, operation, request);
      } catch (LinuxException e) {
        errno = e.errno();
      } catch (IOException e) {
        errno = EIO; // what is asked cannot be noted, as when the disk is full
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

  private void answer(Answers.Key key, boolean again, int operation, ByteBuffer in)
      throws LinuxException, IOException {
    switch (operation) {
      case 1 -> stat(in);
      case 2 -> set(in);
      case 3 -> list(in);
      case 4 -> read(in);
      case 5 -> write(key, again, in);
      case 6 -> create(key, again, in);
      case 7 -> makeDirectory(key, again, in);
      case 8 -> unlink(key, again, in);
      case 9 -> removeDirectory(key, again, in);
      case 10 -> rename(key, again, in);
      case 11 -> symlink(key, again, in);
      case 12 -> readLink(in);
      case 13 -> link(key, again, in);
      case 14 -> sync(in);
      case 15 -> space();
      case 16 -> hide(key, again, in);
      default -> throw failure(ENOSYS);
    }
  }

  private static LinuxException failure(int errno) {
    return new LinuxException("request", errno, "volume");
  }

  // --- what may be repeated at will ---------------------------------------------------------

  private void stat(ByteBuffer in) throws LinuxException {
    Place place = place(in);
    try (Fd fd = held(place, in.getLong())) {
      put(Tree.stat(fd));
    }
  }

  private void set(ByteBuffer in) throws LinuxException {
    Place place = place(in);
    long identity = in.getLong();
    int valid = in.getInt();
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    long size = in.getLong();
    long accessed = in.getLong();
    long modified = in.getLong();
    if ((valid & SIZE) != 0) {
      try (Fd file = file(place, identity, true)) {
        file.truncate(size);
      }
    }
    try (Fd fd = held(place, identity)) {
      if ((valid & (UID | GID)) != 0) {
        Tree.setOwner(fd, (valid & UID) != 0 ? uid : -1, (valid & GID) != 0 ? gid : -1);
      }
      if ((valid & MODE) != 0) {
        Tree.setMode(fd, mode);
      }
      if ((valid & (ATIME | MTIME)) != 0) {
        Tree.setTimes(
            fd, time(valid, ATIME, ATIME_NOW, accessed), time(valid, MTIME, MTIME_NOW, modified));
      }
      put(Tree.stat(fd));
    }
  }

  private static long time(int valid, int given, int now, long nanos) {
    return (valid & given) == 0 ? Tree.OMIT : (valid & now) != 0 ? Tree.NOW : nanos;
  }

  private void list(ByteBuffer in) throws LinuxException {
    Place place = place(in);
    long identity = in.getLong();
    byte[] after = bytes(in);
    held(place, identity).close();
    List<Tree.Name> names = place.tree().list(place.name(), MOST_NAMES);
    names.sort(Comparator.comparing(Tree.Name::bytes, Arrays::compareUnsigned));
    int more = out.position();
    out.put((byte) 0);
    for (Tree.Name name : names) {
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
    Place place = place(in);
    long identity = in.getLong();
    long offset = offset(in);
    int size = in.getInt();
    if (size < 0 || size > MOST_DATA_BYTES) {
      throw failure(LinuxException.EINVAL);
    }
    try (Fd file = file(place, identity, false)) {
      file.pread(data.clear().limit(size), offset);
    }
    out.put(data.flip());
  }

  private void readLink(ByteBuffer in) throws LinuxException {
    Place place = place(in);
    out.put(place.tree().readLink(place.name()));
  }

  private void sync(ByteBuffer in) throws LinuxException {
    Place place = place(in);
    long identity = in.getLong();
    try (Fd fd = held(place, identity)) {
      if (Tree.stat(fd).isDirectory()) {
        place.tree().syncDirectory(place.name());
        return;
      }
    }
    try (Fd file = file(place, identity, false)) {
      file.fsync();
    }
  }

  private void space() throws LinuxException {
    FsInfo info = FsInfo.of(volume.directory());
    out.putLong(info.totalBytes() / UNIT).putLong(info.freeBytes() / UNIT);
    out.putLong(info.freeBytes() / UNIT);
    // How many more files there can be, file systems do not say alike.
    out.putLong(0).putLong(0).putInt((int) UNIT).putInt(255);
  }

  // --- what must happen once ----------------------------------------------------------------

  /** Something that must not be done twice. */
  private interface Change {
    void make() throws LinuxException;
  }

  /** What is to be said of an earlier attempt that the host did not live to answer. */
  private interface Traces {
    boolean look() throws LinuxException;
  }

  /**
   * Makes a change, or finds that it was made.
   *
   * @param happened whether it looks as if an attempt was carried out of which nothing else is
   *     known
   */
  private void once(Answers.Key key, boolean again, Change change, Traces happened)
      throws LinuxException, IOException {
    synchronized (volume.lock()) {
      Answers answers = volume.answers();
      Answers.Known known = again ? answers.find(key) : null;
      if (known != null && known.done()) {
        if (known.errno() != 0) {
          throw failure(known.errno());
        }
        return;
      }
      boolean interrupted = known != null;
      answers.begin(key, 0);
      try {
        if (!interrupted || !happened.look()) {
          change.make();
        }
        answers.done(key, 0);
      } catch (LinuxException e) {
        answers.done(key, e.errno());
        throw e;
      }
    }
  }

  private void write(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place place = place(in);
    long identity = in.getLong();
    long offset = offset(in);
    boolean append = in.get() != 0;
    if (in.remaining() > MOST_DATA_BYTES) {
      throw failure(LinuxException.EINVAL);
    }
    int size = in.remaining();
    data.clear().put(in).flip();
    try (Fd file = file(place, identity, true)) {
      if (append) {
        append(key, again, file);
      } else {
        file.pwrite(data, offset);
      }
    }
    out.putInt(size);
  }

  /** Where it goes is noted first: written there again, the same is there once. */
  private void append(Answers.Key key, boolean again, Fd file) throws LinuxException, IOException {
    synchronized (volume.lock()) {
      Answers answers = volume.answers();
      Answers.Known known = again ? answers.find(key) : null;
      if (known != null && known.done()) {
        if (known.errno() != 0) {
          throw failure(known.errno());
        }
        return;
      }
      long end = known != null ? known.offset() : Tree.stat(file).sizeBytes();
      answers.begin(key, end);
      try {
        file.pwrite(data, end);
        answers.done(key, 0);
      } catch (LinuxException e) {
        answers.done(key, e.errno());
        throw e;
      }
    }
  }

  private void create(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place place = place(in);
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    boolean exclusive = in.get() != 0;
    once(
        key,
        again,
        () -> {
          try (Fd file = place.tree().createFile(place.name(), mode)) {
            own(file, uid, gid);
          } catch (LinuxException e) {
            if (exclusive || e.errno() != LinuxException.EEXIST) {
              throw e;
            }
          }
        },
        () -> exists(place));
    TreeEntry entry = place.tree().stat(place.name());
    if (!entry.isFile()) {
      throw failure(entry.isDirectory() ? EISDIR : ELOOP);
    }
    put(entry);
  }

  private void makeDirectory(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place place = place(in);
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    once(
        key,
        again,
        () -> {
          place.tree().makeDirectory(place.name(), mode);
          own(place, uid, gid);
        },
        () -> exists(place));
    put(place.tree().stat(place.name()));
  }

  private void symlink(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place place = place(in);
    byte[] target = bytes(in);
    int uid = in.getInt();
    int gid = in.getInt();
    once(
        key,
        again,
        () -> {
          place.tree().makeLink(place.name(), target);
          own(place, uid, gid);
        },
        () -> exists(place));
    put(place.tree().stat(place.name()));
  }

  private void unlink(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place place = place(in);
    once(key, again, () -> place.tree().unlink(place.name()), () -> !exists(place));
  }

  private void removeDirectory(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place place = place(in);
    once(key, again, () -> place.tree().removeDirectory(place.name()), () -> !exists(place));
  }

  private void rename(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place from = place(in);
    Place to = place(in);
    boolean replace = in.get() != 0;
    long keep = in.getLong();
    once(
        key,
        again,
        () -> {
          if (keep != 0) {
            keep(to, keep);
          }
          from.tree().rename(from.name(), to.tree(), to.name(), replace);
        },
        () -> !exists(from) && exists(to));
  }

  private void link(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place from = place(in);
    Place to = place(in);
    if (!from.tree().equals(to.tree())) {
      throw failure(LinuxException.ENOENT); // what has lost its last name gets no other
    }
    once(key, again, () -> from.tree().addName(from.name(), to.name()), () -> exists(to));
    put(to.tree().stat(to.name()));
  }

  /** Takes a name away, and keeps the file for the guest that has it open. */
  private void hide(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    Place place = place(in);
    long identity = in.getLong();
    once(
        key,
        again,
        () -> {
          keep(place, identity);
          place.tree().unlink(place.name());
        },
        () -> !exists(place));
  }

  /** Gives a file a name among those that have none. */
  private void keep(Place place, long identity) throws LinuxException {
    if (place.tree().stat(place.name()).identity() != identity) {
      return; // somebody else has put another one there
    }
    byte[] kept = String.format("%016x", identity).getBytes(StandardCharsets.US_ASCII);
    try {
      place.tree().addName(place.name(), volume.nameless(), kept);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EEXIST) {
        throw e;
      }
    }
  }

  // --- names and what they stand for --------------------------------------------------------

  private Place place(ByteBuffer in) {
    boolean nameless = in.get() != 0;
    return new Place(nameless ? volume.nameless() : volume.files(), bytes(in));
  }

  private static byte[] bytes(ByteBuffer in) {
    byte[] bytes = new byte[Short.toUnsignedInt(in.getShort())];
    in.get(bytes);
    return bytes;
  }

  private static long offset(ByteBuffer in) throws LinuxException {
    long offset = in.getLong();
    if (offset < 0 || offset > Long.MAX_VALUE - MOST_DATA_BYTES) {
      throw failure(LinuxException.EFBIG);
    }
    return offset;
  }

  private static boolean exists(Place place) throws LinuxException {
    try {
      place.tree().stat(place.name());
      return true;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return false;
      }
      throw e;
    }
  }

  /** Holds what a name stands for, if that is still what the guest means. */
  private static Fd held(Place place, long identity) throws LinuxException {
    return checked(place.tree().openAny(place.name()), identity);
  }

  private static Fd file(Place place, long identity, boolean write) throws LinuxException {
    return checked(place.tree().openFile(place.name(), write), identity);
  }

  private static Fd checked(Fd fd, long identity) throws LinuxException {
    try {
      if (identity != 0 && Tree.stat(fd).identity() != identity) {
        throw failure(ESTALE);
      }
      return fd;
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
  }

  private static void own(Place place, int uid, int gid) throws LinuxException {
    try (Fd fd = place.tree().openAny(place.name())) {
      own(fd, uid, gid);
    }
  }

  /** A host that is not root cannot give files away: they are its own then. */
  static void own(Fd fd, int uid, int gid) throws LinuxException {
    try {
      Tree.setOwner(fd, uid, gid);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EPERM) {
        throw e;
      }
    }
  }

  private void put(TreeEntry e) {
    out.putLong(e.identity()).putLong(e.inode()).putInt(e.mode()).putInt(e.links());
    out.putInt(e.uid()).putInt(e.gid()).putLong(e.sizeBytes()).putLong(e.blocks());
    out.putLong(e.accessedNanos()).putLong(e.modifiedNanos()).putLong(e.changedNanos());
  }
}
