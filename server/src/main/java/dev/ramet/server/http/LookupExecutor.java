// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

/**
 * The executor of calls that only look something up. It is apart from the one of long operations,
 * so that a hundred running clones do not keep health checks and guest traffic waiting.
 */
public final class LookupExecutor {
  /** Its name, under which it is sized. */
  public static final String NAME = "lookup";

  private LookupExecutor() {}
}
