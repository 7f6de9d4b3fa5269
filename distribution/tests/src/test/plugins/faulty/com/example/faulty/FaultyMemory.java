// SPDX-License-Identifier: Apache-2.0
package com.example.faulty;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.util.ServiceLoader;
import java.util.Set;

/** Wraps the host's incremental memory mode in a saboteur. */
public final class FaultyMemory implements MemoryModeProvider {
  /** Does nothing. */
  public FaultyMemory() {}

  private static MemoryModeProvider real() {
    return Saboteur.real(ServiceLoader.load(ModuleLayer.boot(), MemoryModeProvider.class), "incremental");
  }

  @Override
  public String id() {
    return "faulty-memory";
  }

  @Override
  public MemoryFacts atBest() {
    return Saboteur.isBetter()
        ? MemoryFacts.of(MemoryFeature.values())
        : real().atBest();
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return Saboteur.stating(atBest(), real().probe(where));
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return Saboteur.before(MemoryMode.class, real().open(where));
  }
}
