// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.memory.MemorySource;
import java.nio.file.Path;

/**
 * The saved state that a machine is restored from.
 *
 * @param devices the directory that {@link PausedVm#saveDevices} filled
 * @param memory where the pages of its memory come from
 * @param identity the identity of the machine that was saved
 */
public record SavedVm(Path devices, MemorySource memory, VmIdentity identity) {}
