// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Reads files of {@code /proc}, which have no size, and keeps errno when that fails. */
final class ProcFile {
  private static final int BUFFER_BYTES = 64 * 1024;

  private ProcFile() {}

  /** Returns the whole text. Bytes that are not UTF-8 become replacement characters. */
  static String read(String path) throws LinuxException {
    int fd = ProcessCalls.open(path, ProcessCalls.O_RDONLY | ProcessCalls.O_CLOEXEC);
    if (fd < 0) {
      throw new LinuxException("open", Native.getLastError(), path);
    }
    try (NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES)) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      byte[] copy = new byte[BUFFER_BYTES];
      while (true) {
        long n = ProcessCalls.pread(fd, buffer.address(), BUFFER_BYTES, text.size());
        int errno = n < 0 ? Native.getLastError() : 0;
        if (n == 0) {
          return text.toString(StandardCharsets.UTF_8);
        }
        if (n > 0) {
          buffer.view(0, (int) n).get(copy, 0, (int) n);
          text.write(copy, 0, (int) n);
        } else if (errno != ProcessCalls.EINTR) {
          throw new LinuxException("pread", errno, path);
        }
      }
    } finally {
      ProcessCalls.close(fd);
    }
  }
}
