// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Kernel samepage merging (admin-guide/mm/ksm.rst). It replaces a page by one with the same content
 * and drops the page's soft-dirty bit, so that a write before the merge is lost.
 */
public record MergeDaemon(Path control) {
  public static final Path CONTROL = Path.of("/sys/kernel/mm/ksm/run");

  public static final String REASON =
      "kernel samepage merging is on and loses track of written pages; switch it off (write"
          + " 2 to "
          + CONTROL
          + ")";

  /** Returns whether pages are being merged. A kernel without samepage merging has no such file. */
  public boolean isRunning() {
    try {
      return Files.exists(control) && Files.readString(control).trim().equals("1");
    } catch (IOException e) {
      return true; // The state is unknown, and the mode could lose pages.
    }
  }
}
