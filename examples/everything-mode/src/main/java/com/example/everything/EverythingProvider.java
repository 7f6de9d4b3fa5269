// SPDX-License-Identifier: Apache-2.0
package com.example.everything;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The plugin's entry point: probes whether it works here, and opens it. */
public final class EverythingProvider implements MemoryModeProvider {
  /** Written to disk with every capture, so it must never change. */
  static final String ID = "everything";

  /** Works with any memory. No other feature, since selections are relative to no baseline. */
  private static final MemoryFacts FACTS = MemoryFacts.of(MemoryFeature.ANY_MEMORY);

  /** Does nothing, as the contract requires: all that can fail happens in the probe. */
  public EverythingProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public MemoryFacts atBest() {
    return FACTS;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    Path self = Path.of("/proc", Long.toString(ProcessHandle.current().pid()));
    if (!Files.isDirectory(self)) {
      return new ProbeResult.Unusable(
          "no /proc", self + " is not there", "mount it: mount -t proc proc /proc");
    }
    return new ProbeResult.Usable(
        FACTS, Map.of(ProbeResult.LIMITATION, "every capture copies all of the machine's memory"));
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new EverythingMode();
  }
}
