// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates errors as the contract requires: a code, and a message with the program's output. */
final class Failures {
  private static final int LAST_CHARACTERS = 500;

  private Failures() {}

  /** Returns the error for a machine that ended, with the end of its log. */
  static RametException ended(String name, Path directory) {
    return new RametException(
        ErrorCode.HYPERVISOR_FAILED, "the machine " + name + " ended: " + lastWords(directory));
  }

  static RametException interrupted(String waitingFor, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new RametException(ErrorCode.CANCELLED, "stopped waiting for " + waitingFor, e);
  }

  static String lastWords(Path directory) {
    try {
      byte[] all = Files.readAllBytes(directory.resolve(CountingHypervisor.LOG));
      String text = new String(all, StandardCharsets.UTF_8).strip();
      return text.isEmpty()
          ? "it said nothing"
          : text.substring(Math.max(0, text.length() - LAST_CHARACTERS));
    } catch (IOException e) {
      return "there is no log: " + e;
    }
  }
}
