// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import dev.ramet.spi.Provider;

/** Service type for memory mode plugins. */
public interface MemoryModeProvider extends Provider<MemoryMode> {
  @Override
  MemoryFacts atBest();
}
