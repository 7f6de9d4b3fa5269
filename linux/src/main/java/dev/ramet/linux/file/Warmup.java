// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import dev.ramet.linux.LinuxException;
import java.nio.file.Path;

/** The module as a whole. */
public final class Warmup {
  private Warmup() {}

  /**
   * Loads the native library and binds the calls, which takes around 100 ms once in a process: a
   * host calls this at start-up, so that no operation is charged for it. Idempotent, thread-safe.
   *
   * @throws LinuxException when not even the root directory can be opened
   */
  public static void warm() throws LinuxException {
    try (Fd root = Fd.openDirectory(Path.of("/"))) {
      root.stat();
    }
  }
}
