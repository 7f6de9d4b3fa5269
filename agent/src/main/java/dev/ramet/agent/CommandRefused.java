// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

/**
 * The cause of the error for a program that a guest could not start, as a shell tells them apart.
 * Agents of older templates do not give it. Immutable and thread-safe.
 */
public final class CommandRefused extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean found;

  CommandRefused(String reason) {
    super(reason);
    found = !reason.equals("command_not_found");
  }

  /** Returns whether there is such a file, which then is not executable. */
  public boolean found() {
    return found;
  }
}
