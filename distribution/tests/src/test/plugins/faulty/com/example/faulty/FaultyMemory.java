// SPDX-License-Identifier: Apache-2.0
package com.example.faulty;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.memory.MemoryMode;
import java.util.ServiceLoader;

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
  public ProbeResult probe(ProbeContext where) {
    return real().probe(where);
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return Saboteur.before(MemoryMode.class, real().open(where));
  }
}
