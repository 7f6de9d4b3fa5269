// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.agent.Guest;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Forwards standard input to a program in a guest. */
final class InputForwarder {
  private static final int CHUNK = 32 << 10;

  private InputForwarder() {}

  /** Starts forwarding, in a daemon thread. */
  static void forward(InputStream in, Guest guest, long pid) {
    Thread thread = new Thread(() -> copy(in, guest, pid), "input");
    thread.setDaemon(true);
    thread.start();
  }

  private static void copy(InputStream in, Guest guest, long pid) {
    byte[] buffer = new byte[CHUNK];
    try {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        guest.input(pid, Arrays.copyOf(buffer, n));
      }
    } catch (IOException e) {
      // Unreadable input is treated as its end.
    } catch (RametException e) {
      return; // the program closed its input or ended; its output stream reports it
    }
    try {
      guest.closeInput(pid);
    } catch (RametException e) {
      // The program has ended.
    }
  }
}
