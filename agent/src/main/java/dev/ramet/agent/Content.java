// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.function.Supplier;

/**
 * The body of a call. Immutable.
 *
 * @param source opens it; a body that is not repeatable can be opened once
 * @param length its size in bytes, or -1 when unknown
 * @param repeatable whether it can be sent again
 */
public record Content(Supplier<InputStream> source, long length, boolean repeatable) {
  /** Returns a body of bytes, which must not be modified. */
  public static Content of(byte[] bytes) {
    return new Content(() -> new ByteArrayInputStream(bytes), bytes.length, true);
  }

  /** Returns a body that is read from a stream; the caller closes the stream. */
  public static Content of(InputStream stream, long length) {
    return new Content(() -> stream, length, false);
  }
}
