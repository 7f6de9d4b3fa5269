// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryMode;

/**
 * A memory mode that is open on this host.
 *
 * @param id its id
 * @param facts its facts here
 * @param mode the mode
 */
public record OpenMode(String id, MemoryFacts facts, MemoryMode mode) {}
