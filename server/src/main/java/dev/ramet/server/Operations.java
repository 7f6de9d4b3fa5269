// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import java.util.UUID;

/** Names operations, so that an answer and the log can be brought together. Thread-safe. */
final class Operations {
  private Operations() {}

  static String next() {
    return "op-" + UUID.randomUUID().toString().substring(0, 13);
  }
}
