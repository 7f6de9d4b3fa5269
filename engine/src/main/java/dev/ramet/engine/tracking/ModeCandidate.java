// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryMode;
import org.jspecify.annotations.Nullable;

/**
 * A memory mode of this host, which works here or does not.
 *
 * @param id its id
 * @param facts its facts; those at best if it does not work here
 * @param mode the opened mode, or null if it does not work here
 * @param obstacle why it does not work; empty if it does
 * @param remedy what the operator can do about the obstacle, or null
 */
public record ModeCandidate(
    String id,
    MemoryFacts facts,
    @Nullable MemoryMode mode,
    String obstacle,
    @Nullable String remedy) {
  /** Returns a mode that works here. */
  public static ModeCandidate open(String id, MemoryFacts facts, MemoryMode mode) {
    return new ModeCandidate(id, facts, mode, "", null);
  }

  /** Returns a mode that does not work here. */
  public static ModeCandidate unusable(
      String id, MemoryFacts facts, String obstacle, @Nullable String remedy) {
    return new ModeCandidate(id, facts, null, obstacle, remedy);
  }
}
