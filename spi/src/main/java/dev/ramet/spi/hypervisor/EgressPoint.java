// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.nio.file.Path;

/**
 * The place that everything a guest sends to the network passes through. The host confines it
 * before the guest runs, and starts no machine whose point it cannot confine if that guest may open
 * connections. Later versions may add kinds.
 */
public sealed interface EgressPoint {
  /**
   * The guest sends through sockets of a process. A machine without a network names its process.
   *
   * @param pid the process; it opens no connection for the guest before the guest runs
   */
  @SuppressWarnings("JavaLangClash") // Code names it with its interface.
  record Process(long pid) implements EgressPoint {}

  /**
   * The guest sends through a network device of the host.
   *
   * @param netns the network namespace of the device
   * @param name its name
   */
  record Device(Path netns, String name) implements EgressPoint {}
}
