// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import java.util.UUID;

/** Creates ids that connect a response with the lines in the log. */
public final class OperationIds {
  private OperationIds() {}

  /** Returns a new id. */
  public static String newId() {
    return "op-" + UUID.randomUUID().toString().substring(0, 13);
  }
}
