// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.Provider;

/** Service type of hypervisors. */
public interface HypervisorProvider extends Provider<Hypervisor> {}
