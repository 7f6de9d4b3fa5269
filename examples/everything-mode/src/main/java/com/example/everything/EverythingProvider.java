// SPDX-License-Identifier: Apache-2.0
package com.example.everything;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryCapabilities;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** The plugin's entry: says whether it works here, and opens it. */
public final class EverythingProvider implements MemoryModeProvider {
  /** Written to disk beside what was captured with it: it never changes. */
  static final String ID = "everything";

  /** Does nothing, as the contract wants: what can go wrong goes wrong in the probe. */
  public EverythingProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    Path self = Path.of("/proc", Long.toString(ProcessHandle.current().pid()));
    if (!Files.isDirectory(self)) {
      return new ProbeResult.Unusable(
          "no /proc", self + " is not there", "mount it: mount -t proc proc /proc");
    }
    return new ProbeResult.Usable(
        // Any memory will do. Nothing else is stated, since selections are relative to nothing.
        Set.of(MemoryCapabilities.ANY_MEMORY),
        Map.of(ProbeResult.LIMITATION, "every capture copies all of the machine's memory"));
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new EverythingMode();
  }
}
