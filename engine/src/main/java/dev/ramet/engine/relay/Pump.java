// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** Passes bytes on as fast as they are taken. */
final class Pump {
  private static final int BUFFER_BYTES = 32 << 10;

  private Pump() {}

  /** To the end, which is passed on too: the other direction may go on. */
  static void copy(InputStream from, Socket to) throws IOException {
    OutputStream out = to.getOutputStream();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
      out.write(buffer, 0, n);
    }
    to.shutdownOutput();
  }
}
