// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

/** Remedies for errors that are detected in several places. */
public final class Remedies {
  /** The remedy when a machine has ended by itself. */
  public static final String MACHINE_ENDED =
      "restart the sandbox, roll it back to a snapshot, or create another one from a snapshot; vmm.log"
          + " and console.log in its directory hold the machine's last output";

  private Remedies() {}
}
