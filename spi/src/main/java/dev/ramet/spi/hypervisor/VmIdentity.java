// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.util.Map;

/**
 * The hypervisor and the machine properties that a saved device state depends on. A state is
 * restored only where its identity is equal.
 *
 * @param hypervisor the driver's id
 * @param version the hypervisor's version
 * @param machine the machine properties that must be the same, by name
 */
public record VmIdentity(String hypervisor, String version, Map<String, String> machine) {
  /** Copies the map. */
  public VmIdentity {
    machine = Map.copyOf(machine);
  }
}
