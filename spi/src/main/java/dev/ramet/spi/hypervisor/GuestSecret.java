// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.util.Objects;

/**
 * A secret text for a machine's guest, readable only by root there. {@link #toString} does not
 * reveal it.
 *
 * @param text a few hundred ASCII characters
 */
public record GuestSecret(String text) {
  /** Requires a text. */
  public GuestSecret {
    Objects.requireNonNull(text);
  }

  /** Leaves out the text, because specifications appear in messages and logs. */
  @Override
  public String toString() {
    return "GuestSecret[...]";
  }
}
