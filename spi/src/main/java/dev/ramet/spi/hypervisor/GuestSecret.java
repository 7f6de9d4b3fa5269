// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.util.Objects;

/**
 * A text for a machine's guest, of which only root may read it there. Nothing shows it by accident.
 *
 * @param text a few hundred ASCII characters
 */
public record GuestSecret(String text) {
  /** Demands a text. */
  public GuestSecret {
    Objects.requireNonNull(text);
  }

  /** Not the text: specifications get into messages and logs. */
  @Override
  public String toString() {
    return "GuestSecret[...]";
  }
}
