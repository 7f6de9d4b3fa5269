// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.CPath;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An open file or directory. Offsets and lengths are bytes; buffers are native addresses or direct
 * byte buffers. Reads and writes state their offset, so that threads may share a handle; it must
 * not be used during or after {@link #close}.
 *
 * <p>A failure of the kernel is a {@link LinuxException} with the errno that the man page of the
 * call explains.
 */
public final class Fd implements AutoCloseable {
  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int FALLOC_FL_PUNCH_HOLE = 2;
  private static final int SEEK_END = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  // sync_file_range(2): wait for what is being written, write what is dirty, wait for that.
  private static final int SYNC_FILE_RANGE_WRITE = 2;
  private static final int SYNC_FILE_RANGE_ALL = 1 | 2 | 4;
  private static final int LOCK_EX = 2;
  private static final int LOCK_NB = 4;

  private final int number;
  private final String subject;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Fd(int number, String subject) {
    this.number = number;
    this.subject = subject;
  }

  /**
   * Opens a file.
   *
   * @param mode permission bits of a file that is made, less the process's umask
   */
  public static Fd open(Path path, Set<OpenFlag> flags, int mode) throws LinuxException {
    byte[] name = CPath.encode(path);
    int bits = OpenFlag.bits(flags);
    while (true) {
      int fd = FileCalls.open(name, bits, mode);
      int errno = fd < 0 ? Native.getLastError() : 0;
      if (fd >= 0) {
        return new Fd(fd, path.toString());
      }
      if (errno != Errnos.EINTR) {
        throw new LinuxException("open", errno, path.toString());
      }
    }
  }

  /** Returns a descriptor that a call of this module has made. */
  public static Fd of(int number, String subject) {
    return new Fd(number, subject);
  }

  /** Opens an existing regular file for reading; a symbolic link in its place is an error. */
  public static Fd openRead(Path path) throws LinuxException {
    return open(path, Set.of(OpenFlag.READ, OpenFlag.NO_FOLLOW), 0);
  }

  /** Makes a file that must not be there yet and opens it for reading and writing. */
  public static Fd createNew(Path path, int mode) throws LinuxException {
    return open(
        path, Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.CREATE, OpenFlag.EXCLUSIVE), mode);
  }

  /** Opens a directory, to sync or to lock it. */
  public static Fd openDirectory(Path path) throws LinuxException {
    return open(path, Set.of(OpenFlag.READ, OpenFlag.DIRECTORY), 0);
  }

  /** Makes the entries of a directory survive a power loss. */
  public static void syncDirectory(Path directory) throws LinuxException {
    try (Fd fd = openDirectory(directory)) {
      fd.fsync();
    }
  }

  /** Returns the descriptor, for other calls of this module. */
  public int number() {
    if (closed.get()) {
      throw new IllegalStateException("closed: " + subject);
    }
    return number;
  }

  public LinuxException failure(String call, int errno) {
    return new LinuxException(call, errno, subject);
  }

  /** Makes data and metadata survive a power loss; see fsync(2). */
  public void fsync() throws LinuxException {
    int result = FileCalls.fsync(number());
    check("fsync", result, result < 0 ? Native.getLastError() : 0);
  }

  /** Like {@link #fsync}, without metadata that reading the data back does not need. */
  public void fdatasync() throws LinuxException {
    int result = FileCalls.fdatasync(number());
    check("fdatasync", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Begins to write the dirty pages of a part to where they belong, and does not wait for it
   * (sync_file_range(2), {@code SYNC_FILE_RANGE_WRITE}); it waits only while the device's queue is
   * full.
   */
  public void beginWriteBack(long offset, long lengthBytes) throws LinuxException {
    int result = FileCalls.sync_file_range(number(), offset, lengthBytes, SYNC_FILE_RANGE_WRITE);
    check("sync_file_range", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Writes dirty pages to their final place and waits for that, but does not flush the device's own
   * cache: readers of the device see the data, but a power loss may still lose it.
   */
  public void writeBack() throws LinuxException {
    int result = FileCalls.sync_file_range(number(), 0, 0, SYNC_FILE_RANGE_ALL);
    check("sync_file_range", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Reads into native memory.
   *
   * @return how many bytes, less than {@code lengthBytes} only at the end of the file
   */
  public long pread(long address, long lengthBytes, long offset) throws LinuxException {
    long done = 0;
    while (done < lengthBytes) {
      long n = FileCalls.pread(number(), address + done, lengthBytes - done, offset + done);
      int errno = n < 0 ? Native.getLastError() : 0;
      if (n == 0) {
        break;
      } else if (n > 0) {
        done += n;
      } else if (errno != Errnos.EINTR) {
        throw failure("pread", errno);
      }
    }
    return done;
  }

  /** Writes all of a piece of native memory. */
  public void pwrite(long address, long lengthBytes, long offset) throws LinuxException {
    long done = 0;
    while (done < lengthBytes) {
      long n = FileCalls.pwrite(number(), address + done, lengthBytes - done, offset + done);
      int errno = n < 0 ? Native.getLastError() : 0;
      if (n > 0) {
        done += n;
      } else if (n == 0) {
        // Answered only for a length of 0; a device that does so otherwise takes no more bytes.
        throw failure("pwrite", LinuxException.ENOSPC);
      } else if (errno != Errnos.EINTR) {
        throw failure("pwrite", errno);
      }
    }
  }

  /** Reads into the rest of a direct buffer and moves its position; returns how many bytes. */
  public int pread(ByteBuffer target, long offset) throws LinuxException {
    int n = (int) pread(address(target), target.remaining(), offset);
    target.position(target.position() + n);
    return n;
  }

  /** Writes the rest of a direct buffer and moves its position. */
  public void pwrite(ByteBuffer source, long offset) throws LinuxException {
    pwrite(address(source), source.remaining(), offset);
    source.position(source.limit());
  }

  private static long address(ByteBuffer buffer) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("not a direct buffer");
    }
    // The pointer is that of index 0, whatever the position.
    return Pointer.nativeValue(Native.getDirectBufferPointer(buffer)) + buffer.position();
  }

  /** Sets the length; an added part is a hole. */
  public void truncate(long sizeBytes) throws LinuxException {
    int result = FileCalls.ftruncate(number(), sizeBytes);
    check("ftruncate", result, result < 0 ? Native.getLastError() : 0);
  }

  /** Reserves space, so that a later write in the range cannot fail for lack of space. */
  public void allocate(long offset, long lengthBytes) throws LinuxException {
    int result = FileCalls.fallocate(number(), 0, offset, lengthBytes);
    check("fallocate", result, result < 0 ? Native.getLastError() : 0);
  }

  /** Frees a range, which reads as zeros from then on. The length stays the same. */
  public void punchHole(long offset, long lengthBytes) throws LinuxException {
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    int result = FileCalls.fallocate(number(), mode, offset, lengthBytes);
    check("fallocate", result, result < 0 ? Native.getLastError() : 0);
  }

  /** Returns the size of the file or block device: for the latter fstat(2) says 0. */
  public long sizeBytes() throws LinuxException {
    return seek(0, SEEK_END);
  }

  /**
   * Returns where the next data at or after {@code offset} starts, or -1 if only a hole follows.
   */
  public long seekData(long offset) throws LinuxException {
    return seek(offset, SEEK_DATA);
  }

  /**
   * Returns where the next hole at or after {@code offset} starts; the end of the file counts as a
   * hole. Returns -1 if {@code offset} is beyond the end.
   */
  public long seekHole(long offset) throws LinuxException {
    return seek(offset, SEEK_HOLE);
  }

  private long seek(long offset, int whence) throws LinuxException {
    long found = FileCalls.lseek(number(), offset, whence);
    int errno = found < 0 ? Native.getLastError() : 0;
    if (found < 0 && errno != Errnos.ENXIO) {
      throw failure("lseek", errno);
    }
    return found;
  }

  /** Size, allocation and identity. */
  public FileStat stat() throws LinuxException {
    return FileStat.of(this);
  }

  /** Sets the permission bits; the umask does not apply. */
  public void chmod(int mode) throws LinuxException {
    int result = FileCalls.fchmod(number(), mode);
    check("fchmod", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Waits for the exclusive lock of flock(2). It belongs to this handle and ends with it, also when
   * the process dies.
   */
  public void lock() throws LinuxException {
    while (true) {
      int result = FileCalls.flock(number(), LOCK_EX);
      int errno = result < 0 ? Native.getLastError() : 0;
      if (errno != Errnos.EINTR) {
        check("flock", result, errno);
        return;
      }
    }
  }

  /** Takes the lock like {@link #lock}, but returns false at once if another handle holds it. */
  public boolean tryLock() throws LinuxException {
    int result = FileCalls.flock(number(), LOCK_EX | LOCK_NB);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (errno == Errnos.EAGAIN) {
      return false;
    }
    check("flock", result, errno);
    return true;
  }

  private void check(String call, int result, int errno) throws LinuxException {
    if (result < 0) {
      throw failure(call, errno);
    }
  }

  /** Closes the handle. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      // After any error of close(2) (EINTR, a deferred EIO) the descriptor is closed all the same;
      // callers that care about the data call fsync.
      FileCalls.close(number);
    }
  }

  @Override
  public String toString() {
    return subject;
  }
}
