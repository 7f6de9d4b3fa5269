// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.util.Map;
import java.util.Set;

/** Provides the memory mode that asks the hypervisor for its log. */
public final class DirtyLogModeProvider implements MemoryModeProvider {
  /** The facts about the mode. */
  public static final MemoryFacts FACTS =
      new MemoryFacts(
          Set.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE),
          Set.of(Access.DIRTY_LOG));

  /** Creates the provider. */
  public DirtyLogModeProvider() {}

  @Override
  public String id() {
    return "reference-dirty-log";
  }

  @Override
  public MemoryFacts atBest() {
    return FACTS;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return new ProbeResult.Usable(FACTS, Map.of());
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new DirtyLogMode();
  }
}
