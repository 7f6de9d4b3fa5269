// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Forwards the keys typed on this terminal to a program in a guest. */
final class TypedKeys {
  private static final int CHUNK = 4 << 10;

  private TypedKeys() {}

  /** Starts forwarding, in a daemon thread. */
  static void forward(InputStream in, DetachKeys keys, TerminalSession session) {
    Thread thread = new Thread(() -> copy(in, keys, session), "keys");
    thread.setDaemon(true);
    thread.start();
  }

  private static void copy(InputStream in, DetachKeys keys, TerminalSession session) {
    byte[] buffer = new byte[CHUNK];
    ByteArrayOutputStream pass = new ByteArrayOutputStream();
    try {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        boolean detached = keys.take(buffer, n, pass);
        if (pass.size() > 0) {
          session.type(pass.toByteArray());
          pass.reset();
        }
        if (detached) {
          session.leave();
          return;
        }
      }
    } catch (IOException e) {
      // The terminal is gone.
    }
    session.hangUp();
  }
}
