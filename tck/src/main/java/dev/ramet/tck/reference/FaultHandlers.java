// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.MemorySource;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The model of fault handlers: where a real machine sends its userfaultfd(2) over the socket, one
 * of the reference hypervisor looks up the handler by the socket's path and asks it for pages.
 * Thread-safe.
 */
public final class FaultHandlers {
  private static final Map<Path, Pages> SERVED = new ConcurrentHashMap<>();

  private FaultHandlers() {}

  /** The pages of one memory image. Thread-safe. */
  public interface Pages {
    /** Returns the size of the image. */
    long sizeBytes();

    /** Returns the content of the page at this offset, which is fetched if it has to be. */
    byte[] page(long imageOffset);
  }

  /** Serves an image at a socket's path, in place of what was served there before. */
  public static MemorySource.FaultHandler serve(Path socket, Pages pages) {
    SERVED.put(socket, pages);
    return new MemorySource.FaultHandler(socket);
  }

  /** Stops to serve new machines. */
  public static void end(Path socket) {
    SERVED.remove(socket);
  }

  /** Connects a machine. */
  public static Pages connect(MemorySource.FaultHandler handler) {
    Pages pages = SERVED.get(handler.socket());
    if (pages == null) {
      throw new RametException(
          ErrorCode.CORRUPT, "nobody answers faults at " + handler.socket(), "serve it", null);
    }
    return pages;
  }
}
