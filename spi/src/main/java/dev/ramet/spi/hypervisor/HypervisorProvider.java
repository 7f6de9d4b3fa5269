// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.Provider;

/** Service type for hypervisor plugins. */
public interface HypervisorProvider extends Provider<Hypervisor> {
  @Override
  HypervisorFacts atBest();
}
