// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.CPath;
import dev.ramet.linux.call.DirectoryCalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Reads the names in directories and the file type of each, in one pass and without a stat call per
 * file (getdents(2)): with a hundred thousand names, those calls take nearly all of the time. Used
 * by one thread at a time; reuses its buffer across directories.
 */
public final class DirectoryReader implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;

  // struct linux_dirent64, getdents(2).
  private static final int RECORD_LENGTH = 16;
  private static final int TYPE = 18;
  private static final int NAME = 19;

  // dirent.h, readdir(3).
  private static final byte DT_UNKNOWN = 0;
  private static final byte DT_DIR = 4;
  private static final byte DT_REG = 8;

  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private final Memory buffer = new Memory(BUFFER_BYTES);
  private final ByteBuffer view = buffer.getByteBuffer(0, BUFFER_BYTES);
  private final byte[] records = new byte[BUFFER_BYTES];

  /** Makes one. */
  public DirectoryReader() {}

  /** The file type of a name. */
  public enum Type {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link or something special. */
    OTHER
  }

  /** Receives the entries. */
  public interface Visitor {
    /** One entry; {@code .} and {@code ..} are left out. */
    void visit(String name, Type type) throws LinuxException;
  }

  /**
   * Visits all entries in the order of the file system. Entries created or removed meanwhile may or
   * may not be visited. The visitor may change the directory, but not use this reader.
   */
  public void read(Path directory, Visitor visitor) throws LinuxException {
    try (Fd fd = Fd.open(directory, java.util.Set.of(OpenFlag.READ, OpenFlag.DIRECTORY), 0)) {
      while (true) {
        long length =
            DirectoryCalls.getdents64(fd.number(), Pointer.nativeValue(buffer), BUFFER_BYTES);
        int errno = length < 0 ? Native.getLastError() : 0;
        if (length < 0) {
          throw fd.failure("getdents64", errno);
        }
        if (length == 0) {
          return;
        }
        visit(directory, (int) length, visitor);
      }
    }
  }

  private void visit(Path directory, int length, Visitor visitor) throws LinuxException {
    // At once: a byte of an array is much cheaper to get at than one of native memory, most of all
    // before the code is compiled.
    view.get(0, records, 0, length);
    int at = 0;
    while (at < length) {
      at = visitOne(directory, at, visitor);
    }
  }

  private int visitOne(Path directory, int at, Visitor visitor) throws LinuxException {
    int next = at + recordLength(at);
    String name = name(at + NAME, next);
    if (!name.equals(".") && !name.equals("..")) {
      byte type = records[at + TYPE];
      visitor.visit(name, type == DT_UNKNOWN ? typeByStat(directory.resolve(name)) : typeOf(type));
    }
    return next;
  }

  private int recordLength(int at) {
    int first = Byte.toUnsignedInt(records[at + RECORD_LENGTH]);
    int second = Byte.toUnsignedInt(records[at + RECORD_LENGTH + 1]);
    return LITTLE ? second << 8 | first : first << 8 | second;
  }

  private String name(int at, int limit) {
    // Records are padded to eight bytes, so the end of the name is among the last eight.
    int end = Math.max(at, limit - 8);
    while (end < limit && records[end] != 0) {
      end++;
    }
    return new String(records, at, end - at, CPath.CHARSET);
  }

  private static Type typeOf(byte type) {
    return switch (type) {
      case DT_REG -> Type.FILE;
      case DT_DIR -> Type.DIRECTORY;
      default -> Type.OTHER;
    };
  }

  /** Needed on the few file systems that do not store the type with the name. */
  private static Type typeByStat(Path path) throws LinuxException {
    FileStat stat = PathCalls.stat(path);
    if (stat.isRegularFile()) {
      return Type.FILE;
    }
    return stat.isDirectory() ? Type.DIRECTORY : Type.OTHER;
  }

  /** Gives the buffer back. */
  @Override
  public void close() {
    buffer.close();
  }
}
