// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Looks names of hosts up. Thread-safe. */
@FunctionalInterface
public interface Lookup {
  /** As this host does for itself. */
  Lookup SYSTEM = name -> List.of(InetAddress.getAllByName(name));

  /**
   * The addresses of a name, the best first.
   *
   * @throws UnknownHostException when it has none
   */
  List<InetAddress> addresses(String name) throws UnknownHostException;
}
