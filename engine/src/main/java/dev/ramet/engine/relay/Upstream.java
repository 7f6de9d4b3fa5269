// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import java.io.IOException;
import java.net.Socket;

/**
 * Opens connections for one connection of a guest, to the port that the guest asked for.
 * Thread-safe.
 */
public interface Upstream {
  /**
   * Connects to a host by its name, under the sandbox's rules and through its proxy, if it has one.
   * The addresses that the guest chose are not used.
   *
   * @param name without a dot at its end; an address in text stands for itself
   * @return connected, without a limit to the time of reading; the caller closes it
   * @throws RefusedException when the rules do not allow the name, or no address that it has
   * @throws IOException when there is no such name, or nobody answers
   */
  Socket connect(String name) throws IOException;
}
