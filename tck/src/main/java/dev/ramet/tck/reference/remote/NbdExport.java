// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import java.io.IOException;

/** An image that an {@link NbdServer} hands out. Thread-safe. */
public interface NbdExport {
  /** Returns the size in bytes. */
  long sizeBytes();

  /** Returns whether clients may only read. */
  boolean readOnly();

  /** Reads a range within the size. */
  byte[] read(long offset, int lengthBytes) throws IOException;

  /**
   * Writes a range within the size.
   *
   * @throws IOException if there is no space, which clients learn
   */
  void write(long offset, byte[] bytes) throws IOException;

  /** Makes a range within the size read as zeros, and frees its space as far as possible. */
  void discard(long offset, long lengthBytes) throws IOException;

  /** Makes everything written so far durable. */
  void flush() throws IOException;
}
