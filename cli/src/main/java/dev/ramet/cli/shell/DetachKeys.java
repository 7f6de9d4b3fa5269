// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.errors.RametException;
import java.io.ByteArrayOutputStream;
import java.util.Locale;

/**
 * Finds the keys that detach from a terminal among those that are typed. The first keys of the
 * sequence are held back until it is clear that it does not follow. To be used by one thread.
 */
final class DetachKeys {
  static final String USUAL = "ctrl-p,ctrl-q";

  private final byte[] sequence;
  private int matched;

  private DetachKeys(byte[] sequence) {
    this.sequence = sequence;
  }

  /**
   * Parses a sequence as Docker writes it: {@code ctrl-p,ctrl-q}, or single characters, separated
   * by commas; empty for none.
   */
  static DetachKeys parse(String text) {
    ByteArrayOutputStream keys = new ByteArrayOutputStream();
    if (!text.isEmpty()) {
      for (String key : text.split(",", -1)) {
        keys.write(parseKey(key));
      }
    }
    return new DetachKeys(keys.toByteArray());
  }

  private static int parseKey(String key) {
    String lower = key.toLowerCase(Locale.ROOT);
    if (lower.length() == 6 && lower.startsWith("ctrl-")) {
      char letter = lower.charAt(5);
      if ((letter >= 'a' && letter <= 'z') || "@[\\]^_".indexOf(letter) >= 0) {
        return letter & 0x1f;
      }
    } else if (key.length() == 1 && key.charAt(0) > ' ' && key.charAt(0) < 0x7f) {
      return key.charAt(0);
    }
    throw RametException.invalid(
        "--detach-keys", "not a key: " + key + "; write them like ctrl-p,ctrl-q or ctrl-]");
  }

  /**
   * Takes typed bytes.
   *
   * @param pass receives those that are for the program
   * @return whether the sequence is complete; the bytes after it are dropped
   */
  boolean take(byte[] typed, int count, ByteArrayOutputStream pass) {
    for (int i = 0; i < count; i++) {
      if (sequence.length == 0) {
        pass.write(typed[i]);
        continue;
      }
      if (typed[i] != sequence[matched]) {
        pass.write(sequence, 0, matched);
        matched = 0;
      }
      if (typed[i] != sequence[matched]) {
        pass.write(typed[i]);
      } else if (++matched == sequence.length) {
        matched = 0;
        return true;
      }
    }
    return false;
  }
}
