// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Provides a mode with the given stated features. */
record ReferenceModeProvider(Supplier<MemoryMode> mode, Set<MemoryFeature> features)
    implements MemoryModeProvider {
  ReferenceModeProvider(Supplier<MemoryMode> mode) {
    this(mode, Set.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE));
  }

  @Override
  public String id() {
    return "reference";
  }

  @Override
  public MemoryFacts atBest() {
    return MemoryFacts.of(features.toArray(new MemoryFeature[0]));
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return new ProbeResult.Usable(atBest(), Map.of());
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return mode.get();
  }
}
