// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Looks up host names. Thread-safe. */
@FunctionalInterface
public interface NameResolver {
  /** Uses this host's own resolver. */
  NameResolver SYSTEM = name -> List.of(InetAddress.getAllByName(name));

  /**
   * Returns the addresses of a name, the best one first.
   *
   * @throws UnknownHostException if it has none
   */
  List<InetAddress> resolve(String name) throws UnknownHostException;
}
