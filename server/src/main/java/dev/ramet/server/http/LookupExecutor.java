// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

/**
 * The executor of calls that only look something up. It is separate from the executor of long
 * operations, so that a hundred running clones do not delay health checks and guest traffic.
 */
public final class LookupExecutor {
  /** Its name, which also configures its size. */
  public static final String NAME = "lookup";

  private LookupExecutor() {}
}
