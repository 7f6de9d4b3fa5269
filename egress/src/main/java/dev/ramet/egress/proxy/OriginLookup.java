// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Knows the original destinations of the connections that the kernel redirected to a relay.
 * Thread-safe.
 */
public interface OriginLookup {
  /**
   * Returns the original destination of a connection; called once for each.
   *
   * @param sourcePort the source port of the connection that the relay accepted
   * @return null if the kernel did not redirect it
   */
  @Nullable OriginalDestination takeOrigin(int sourcePort) throws IOException;
}
