// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import dev.ramet.spi.Provider;

/** Service type of memory modes. */
public interface MemoryModeProvider extends Provider<MemoryMode> {}
