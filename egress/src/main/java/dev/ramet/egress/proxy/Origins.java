// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Knows where the connections were to go that the kernel has brought to a relay. Thread-safe. */
public interface Origins {
  /**
   * Where one was to go; asked once for each.
   *
   * @param sourcePort of the connection that the relay has accepted
   * @return null for one that the kernel has not brought there
   */
  @Nullable Origin take(int sourcePort) throws IOException;
}
