// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * A directory whose contents strangers may change at any time, and names below it. No name leads
 * out of it: the kernel follows neither {@code ..} nor a symbolic link nor a mount on the way
 * (openat2(2), {@code RESOLVE_BENEATH}, {@code RESOLVE_NO_SYMLINKS}, {@code RESOLVE_NO_XDEV}), and
 * the last part of a name is only ever used by itself, below the directory that the rest led to.
 *
 * <p>Names are bytes as the kernel has them: relative, parts joined by one slash each; the empty
 * one is the directory itself. One that is malformed is {@code EINVAL}, or {@code ENOENT} where
 * openat2(2) says so. Thread-safe; nobody may use it while or after it is closed.
 */
public final class Tree implements AutoCloseable {
  /** Bits that are kept of what a stranger sets: nothing there is ever run as its owner. */
  public static final int KEPT_MODE = 0x3FF;

  // linux/openat2.h
  private static final long RESOLVE_NO_XDEV = 0x01;
  private static final long RESOLVE_NO_MAGICLINKS = 0x02;
  private static final long RESOLVE_NO_SYMLINKS = 0x04;
  private static final long RESOLVE_BENEATH = 0x08;
  private static final long RESOLVE =
      RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  private static final int HOW_BYTES = 24;

  private static final int O_PATH = 0x200000;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_NOCTTY = 0x100;
  private static final int AT_FDCWD = -100;
  private static final int AT_REMOVEDIR = 0x200;
  private static final int STATX_ALL = 0xFFF; // basic stats and the time of birth
  private static final int RENAME_NOREPLACE = 1;
  private static final int MOST_NAME = 255;
  private static final int MOST_PATH = 4095;
  private static final int ENAMETOOLONG = 36;
  private static final long UTIME_OMIT = (1L << 30) - 2;
  private static final long UTIME_NOW = (1L << 30) - 1;
  private static final long NANOS = 1_000_000_000L;

  /** For {@link #setTimes}: leaves that time as it is. */
  public static final long OMIT = Long.MIN_VALUE;

  /** For {@link #setTimes}: the host's clock. */
  public static final long NOW = Long.MAX_VALUE;

  private final Fd root;

  private Tree(Fd root) {
    this.root = root;
  }

  /** Opens a directory. */
  public static Tree open(Path directory) throws LinuxException {
    return new Tree(Fd.openDirectory(directory));
  }

  /** What an entry is, of a symbolic link the link itself. */
  public TreeEntry stat(byte[] name) throws LinuxException {
    try (Fd fd = openAny(name)) {
      return stat(fd);
    }
  }

  /** The same of an open entry. */
  public static TreeEntry stat(Fd fd) throws LinuxException {
    try (Memory statx = new Memory(FileStat.STATX_BYTES)) {
      int result =
          FileCalls.statx(
              fd.number(), new byte[1], AT_EMPTY_PATH, STATX_ALL, Pointer.nativeValue(statx));
      check(fd, "statx", result, result < 0 ? Native.getLastError() : 0);
      return TreeEntry.read(statx);
    }
  }

  private static final int AT_EMPTY_PATH = 0x1000;

  /** Opens a regular file that is there; {@code ELOOP} for a link, {@code EINVAL} for the rest. */
  public Fd openFile(byte[] name, boolean write) throws LinuxException {
    Set<OpenFlag> flags = write ? Set.of(OpenFlag.READ, OpenFlag.WRITE) : Set.of(OpenFlag.READ);
    // What is no regular file must not keep the caller: a pipe waits for its other end.
    return checkedFile(openBelow(name, OpenFlag.bits(flags) | O_NONBLOCK | O_NOCTTY, 0));
  }

  /**
   * Makes a regular file and opens it.
   *
   * @param mode of which {@link #KEPT_MODE} is kept; the umask does not apply
   * @throws LinuxException {@code EEXIST} when anything has that name
   */
  public Fd createFile(byte[] name, int mode) throws LinuxException {
    Set<OpenFlag> flags =
        Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.CREATE, OpenFlag.EXCLUSIVE);
    Fd fd = openBelow(name, OpenFlag.bits(flags) | O_NOCTTY, 0x180);
    try {
      fd.chmod(mode & KEPT_MODE);
      return fd;
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
  }

  private static Fd checkedFile(Fd fd) throws LinuxException {
    try {
      TreeEntry entry = stat(fd);
      if (!entry.isFile()) {
        throw fd.failure("open", entry.isDirectory() ? Errnos.EISDIR : LinuxException.EINVAL);
      }
      return fd;
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
  }

  /** Makes a directory with permission bits, whatever the umask. */
  public void makeDirectory(byte[] name, int mode) throws LinuxException {
    in(
        name,
        (directory, last) -> {
          int result = TreeCalls.mkdirat(directory.number(), last, 0x1C0);
          check(directory, "mkdirat", result, result < 0 ? Native.getLastError() : 0);
        });
    setMode(name, mode);
  }

  /** Makes a symbolic link. What it says is never followed here. */
  public void makeLink(byte[] name, byte[] target) throws LinuxException {
    checkLength(target, MOST_PATH);
    in(
        name,
        (directory, last) -> {
          int result = TreeCalls.symlinkat(zeroEnded(target), directory.number(), last);
          check(directory, "symlinkat", result, result < 0 ? Native.getLastError() : 0);
        });
  }

  /** What a symbolic link says; {@code EINVAL} when it is none. */
  public byte[] readLink(byte[] name) throws LinuxException {
    try (Fd fd = openAny(name)) {
      byte[] target = new byte[MOST_PATH + 1];
      long length = TreeCalls.readlinkat(fd.number(), new byte[1], target, target.length);
      int errno = length < 0 ? Native.getLastError() : 0;
      // Of what is no link, readlinkat(2) with an empty name says ENOENT.
      check(
          fd, "readlinkat", length, errno == LinuxException.ENOENT ? LinuxException.EINVAL : errno);
      return Arrays.copyOf(target, (int) length);
    }
  }

  /** Gives a file another name; {@code EPERM} for a directory. */
  public void addName(byte[] from, byte[] to) throws LinuxException {
    addName(from, this, to);
  }

  /** The same in another tree of the same file system. */
  public void addName(byte[] from, Tree other, byte[] to) throws LinuxException {
    in(
        from,
        (source, oldName) ->
            other.in(
                to,
                (target, newName) -> {
                  int result =
                      FileCalls.linkat(source.number(), oldName, target.number(), newName, 0);
                  check(target, "linkat", result, result < 0 ? Native.getLastError() : 0);
                }));
  }

  /** Takes away a name that is no directory's. */
  public void unlink(byte[] name) throws LinuxException {
    remove(name, 0);
  }

  /** Removes an empty directory. */
  public void removeDirectory(byte[] name) throws LinuxException {
    remove(name, AT_REMOVEDIR);
  }

  private void remove(byte[] name, int flags) throws LinuxException {
    in(
        name,
        (directory, last) -> {
          int result = TreeCalls.unlinkat(directory.number(), last, flags);
          check(directory, "unlinkat", result, result < 0 ? Native.getLastError() : 0);
        });
  }

  /** Renames, and replaces what has the new name as rename(2) does, unless that is not wanted. */
  public void rename(byte[] from, byte[] to, boolean replace) throws LinuxException {
    rename(from, this, to, replace);
  }

  /** The same into another tree of the same file system. */
  public void rename(byte[] from, Tree other, byte[] to, boolean replace) throws LinuxException {
    in(
        from,
        (source, oldName) ->
            other.in(
                to,
                (target, newName) -> {
                  int flags = replace ? 0 : RENAME_NOREPLACE;
                  int result =
                      FileCalls.renameat2(
                          source.number(), oldName, target.number(), newName, flags);
                  check(target, "renameat2", result, result < 0 ? Native.getLastError() : 0);
                }));
  }

  /** Sets the permission bits, of which {@link #KEPT_MODE} is kept; {@code EINVAL} for a link. */
  public void setMode(byte[] name, int mode) throws LinuxException {
    try (Fd fd = openAny(name)) {
      setMode(fd, mode);
    }
  }

  /** The same of an entry that {@link #openAny} opened. */
  public static void setMode(Fd fd, int mode) throws LinuxException {
    if (stat(fd).isLink()) {
      throw fd.failure("fchmodat", LinuxException.EINVAL);
    }
    int result = TreeCalls.fchmodat(AT_FDCWD, held(fd), mode & KEPT_MODE, 0);
    check(fd, "fchmodat", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Sets the owner of an entry that {@link #openAny} opened, of a link the link's own.
   *
   * @param uid -1 to leave it
   * @param gid -1 to leave it
   */
  public static void setOwner(Fd fd, int uid, int gid) throws LinuxException {
    int result = TreeCalls.fchownat(fd.number(), new byte[1], uid, gid, AT_EMPTY_PATH);
    check(fd, "fchownat", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Sets the times of an entry that {@link #openAny} opened and that is no link.
   *
   * @param accessedNanos in nanoseconds since 1970, or {@link #OMIT} or {@link #NOW}
   * @param modifiedNanos likewise
   */
  public static void setTimes(Fd fd, long accessedNanos, long modifiedNanos) throws LinuxException {
    if (stat(fd).isLink()) {
      return; // nobody asks for the times of links
    }
    try (Memory times = new Memory(4L * Long.BYTES)) {
      put(times, 0, accessedNanos);
      put(times, 2 * Long.BYTES, modifiedNanos);
      int result = TreeCalls.utimensat(AT_FDCWD, held(fd), Pointer.nativeValue(times), 0);
      check(fd, "utimensat", result, result < 0 ? Native.getLastError() : 0);
    }
  }

  private static void put(Memory times, int at, long nanos) {
    boolean special = nanos == OMIT || nanos == NOW;
    times.setLong(at, special ? 0 : Math.floorDiv(nanos, NANOS));
    times.setLong(
        at + Long.BYTES,
        nanos == OMIT ? UTIME_OMIT : nanos == NOW ? UTIME_NOW : Math.floorMod(nanos, NANOS));
  }

  /** The name by which calls without a descriptor reach what one holds (proc(5)). */
  private static byte[] held(Fd fd) {
    return CPath.of(Path.of("/proc/self/fd/" + fd.number()));
  }

  /** Holds an entry of any kind, without the right to read or write it ({@code O_PATH}). */
  public Fd openAny(byte[] name) throws LinuxException {
    if (name.length == 0) {
      return openBelow(name, O_PATH | OpenFlag.bits(Set.of(OpenFlag.DIRECTORY)), 0);
    }
    List<Fd> found = new ArrayList<>(1);
    in(
        name,
        (directory, last) ->
            // Of a link the link itself; the last part alone cannot lead anywhere else.
            found.add(
                openAt(directory, last, O_PATH | OpenFlag.bits(Set.of(OpenFlag.NO_FOLLOW)), 0)));
    return found.get(0);
  }

  /** One name in a directory. Immutable as long as nobody changes its bytes. */
  public static final class Name {
    private final byte[] bytes;
    private final long inode;
    private final byte type;

    private Name(byte[] bytes, long inode, byte type) {
      this.bytes = bytes;
      this.inode = inode;
      this.type = type;
    }

    /** The name; not a copy. */
    public byte[] bytes() {
      return bytes;
    }

    /** The inode number of what has it. */
    public long inode() {
      return inode;
    }

    /** What that is, as readdir(3) says it. */
    public byte type() {
      return type;
    }
  }

  /**
   * The names in a directory, in the order of the file system, without {@code .} and {@code ..}.
   *
   * @param most how many there may be; {@code EFBIG} for more
   */
  public List<Name> list(byte[] name, int most) throws LinuxException {
    int flags = OpenFlag.bits(Set.of(OpenFlag.READ, OpenFlag.DIRECTORY));
    try (Fd fd = openBelow(name, flags, 0);
        Memory buffer = new Memory(LIST_BYTES)) {
      List<Name> names = new ArrayList<>();
      while (true) {
        long length =
            DirectoryCalls.getdents64(fd.number(), Pointer.nativeValue(buffer), LIST_BYTES);
        check(fd, "getdents64", length, length < 0 ? Native.getLastError() : 0);
        if (length == 0) {
          return names;
        }
        for (int at = 0; at < length; at += buffer.getShort(at + RECORD_LENGTH) & 0xFFFF) {
          String text = buffer.getString(at + NAME, "ISO-8859-1");
          if (!text.equals(".") && !text.equals("..")) {
            if (names.size() == most) {
              throw fd.failure("getdents64", LinuxException.EFBIG);
            }
            byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
            names.add(new Name(bytes, buffer.getLong(at), buffer.getByte(at + TYPE)));
          }
        }
      }
    }
  }

  private static final int LIST_BYTES = 64 << 10;

  // struct linux_dirent64, getdents(2).
  private static final int RECORD_LENGTH = 16;
  private static final int TYPE = 18;
  private static final int NAME = 19;

  /** What is done with the last part of a name, below the directory it is in. */
  private interface Step {
    void take(Fd directory, byte[] last) throws LinuxException;
  }

  private void in(byte[] name, Step step) throws LinuxException {
    checkName(name);
    int slash = name.length - 1;
    while (slash >= 0 && name[slash] != '/') {
      slash--;
    }
    byte[] last = Arrays.copyOfRange(name, slash + 1, name.length + 1); // with a zero at its end
    if (slash < 0) {
      step.take(root, last);
      return;
    }
    int flags = O_PATH | OpenFlag.bits(Set.of(OpenFlag.DIRECTORY));
    try (Fd directory = openBelow(Arrays.copyOf(name, slash), flags, 0)) {
      step.take(directory, last);
    }
  }

  private void checkName(byte[] name) throws LinuxException {
    checkLength(name, MOST_PATH);
    int start = 0;
    for (int i = 0; i <= name.length; i++) {
      if (i == name.length || name[i] == '/') {
        int length = i - start;
        boolean dots =
            length > 0
                && length <= 2
                && name[start] == '.'
                && (length == 1 || name[start + 1] == '.');
        if (length == 0 || dots) {
          throw root.failure("name", LinuxException.EINVAL);
        }
        if (length > MOST_NAME) {
          throw root.failure("name", ENAMETOOLONG);
        }
        start = i + 1;
      }
    }
  }

  private void checkLength(byte[] name, int most) throws LinuxException {
    if (name.length == 0) {
      throw root.failure("name", LinuxException.EINVAL);
    }
    if (name.length > most) {
      throw root.failure("name", ENAMETOOLONG);
    }
    for (byte b : name) {
      if (b == 0) {
        throw root.failure("name", LinuxException.EINVAL);
      }
    }
  }

  private Fd openBelow(byte[] name, int flags, int mode) throws LinuxException {
    if (name.length == 0) {
      return openAt(root, new byte[] {'.', 0}, flags, mode);
    }
    checkName(name);
    return openAt(root, zeroEnded(name), flags, mode);
  }

  private static Fd openAt(Fd directory, byte[] name, int flags, int mode) throws LinuxException {
    try (Memory how = new Memory(HOW_BYTES)) {
      how.setLong(0, Integer.toUnsignedLong(flags));
      how.setLong(Long.BYTES, mode);
      // With O_PATH and O_NOFOLLOW a link at the end is opened itself, says openat2(2).
      how.setLong(2 * Long.BYTES, RESOLVE);
      while (true) {
        long fd =
            TreeCalls.syscall(
                TreeCalls.NR_OPENAT2,
                directory.number(),
                name,
                Pointer.nativeValue(how),
                HOW_BYTES);
        int errno = fd < 0 ? Native.getLastError() : 0;
        if (fd >= 0) {
          return Fd.of((int) fd, "a file of a tree");
        }
        // EAGAIN: something was renamed on the way; openat2(2) asks to try again.
        if (errno != Errnos.EINTR && errno != Errnos.EAGAIN) {
          throw directory.failure("openat2", errno);
        }
      }
    }
  }

  private static byte[] zeroEnded(byte[] name) {
    return Arrays.copyOf(name, name.length + 1);
  }

  private static void check(Fd fd, String call, long result, int errno) throws LinuxException {
    if (result < 0) {
      throw fd.failure(call, errno);
    }
  }

  /** Makes the entries of a directory survive a loss of power. */
  public void syncDirectory(byte[] name) throws LinuxException {
    int flags = OpenFlag.bits(Set.of(OpenFlag.READ, OpenFlag.DIRECTORY));
    try (Fd fd = openBelow(name, flags, 0)) {
      fd.fsync();
    }
  }

  /** Lets go of the directory. */
  @Override
  public void close() {
    root.close();
  }
}
