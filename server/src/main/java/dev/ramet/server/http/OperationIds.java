// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import java.util.UUID;

/** Ids by which an answer and the log can be brought together. */
public final class OperationIds {
  private OperationIds() {}

  /** A new one. */
  public static String next() {
    return "op-" + UUID.randomUUID().toString().substring(0, 13);
  }
}
