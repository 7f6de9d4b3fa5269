// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.tracking.ModeCandidate;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens the memory modes that work on this host. */
final class ModeOpening {
  private static final System.Logger LOG = System.getLogger(ModeOpening.class.getName());

  private ModeOpening() {}

  /** Opens those that are usable; the others are kept with the reason why they are not. */
  static MemoryModes open(EngineConfig config, List<ProbedProvider> probed) {
    List<ModeCandidate> candidates = new ArrayList<>();
    for (ProbedProvider one : probed) {
      if (one.provider() instanceof MemoryModeProvider provider) {
        candidates.add(candidate(config, one, provider));
      }
    }
    return new MemoryModes(
        candidates, config.settings().find(PluginSelection.MEMORY_MODE).orElse(null));
  }

  private static ModeCandidate candidate(
      EngineConfig config, ProbedProvider probed, MemoryModeProvider provider) {
    String id = provider.id();
    Optional<MemoryFacts> facts = probed.usableFacts(MemoryFacts.class);
    if (facts.isEmpty()) {
      return ModeCandidate.unusable(id, provider.atBest(), probed.reason(), probed.remedy());
    }
    try {
      MemoryMode mode = provider.open(PluginSelection.context(config, config.dataRoot(), id));
      return ModeCandidate.open(id, facts.get(), mode);
    } catch (RametException e) {
      // A host without this mode captures in another one.
      LOG.log(System.Logger.Level.WARNING, "memory mode " + id + " does not open", e);
      return ModeCandidate.unusable(id, facts.get(), String.valueOf(e.getMessage()), e.remedy());
    }
  }
}
