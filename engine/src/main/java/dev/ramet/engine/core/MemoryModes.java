// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.store.SandboxRecord;
import dev.ramet.engine.store.SnapshotRecord;
import dev.ramet.spi.memory.MemoryMode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The memory modes that work here, and the choice among them for one capture. Thread-safe. */
final class MemoryModes implements AutoCloseable {
  static final String FULL = "full";
  static final String INCREMENTAL = "incremental";

  private final Map<String, MemoryMode> usable;
  private final Map<String, String> unusable;
  private final @Nullable String forced;

  /**
   * The modes of a host.
   *
   * @param usable opened modes by id
   * @param unusable why the others do not work here, by id
   * @param forced the only mode the operator allows, or null
   */
  MemoryModes(
      Map<String, MemoryMode> usable, Map<String, String> unusable, @Nullable String forced) {
    this.usable = Map.copyOf(usable);
    this.unusable = Map.copyOf(unusable);
    this.forced = forced;
  }

  /**
   * What a capture will do.
   *
   * @param id the mode's id
   * @param mode the mode
   * @param reason why this one
   * @param base the snapshot whose memory image is overlaid, or null for none
   */
  record Choice(String id, MemoryMode mode, String reason, @Nullable SnapshotRecord base) {}

  /** Chooses for a machine, whose restore image is looked up in {@code snapshots}. */
  Choice choose(SandboxRecord.Machine machine, SnapshotStore snapshots) {
    String baseId = machine.memoryBase();
    SnapshotRecord base = baseId == null ? null : snapshots.find(baseId).orElse(null);
    String obstacle = null;
    if (baseId == null) {
      obstacle = "the machine was booted, so there is no image to build on";
    } else if (base == null) {
      obstacle = "the image the machine was restored from (" + baseId + ") is gone";
    } else if (!usable.containsKey(INCREMENTAL)) {
      obstacle =
          "incremental does not work here: " + unusable.getOrDefault(INCREMENTAL, "no such plugin");
    }
    if (FULL.equals(forced)) {
      return new Choice(FULL, mode(FULL), "the operator forces full", null);
    }
    if (forced != null && (obstacle != null || !INCREMENTAL.equals(forced))) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "memory mode "
              + forced
              + " is forced but cannot work for this capture: "
              + (obstacle != null ? obstacle : "no such plugin works here"),
          "remove the forced memory mode from the configuration",
          null);
    }
    if (obstacle != null) {
      return new Choice(FULL, mode(FULL), obstacle, null);
    }
    return new Choice(
        INCREMENTAL,
        mode(INCREMENTAL),
        "the machine was restored from " + baseId + ", which its private pages overlay",
        base);
  }

  private MemoryMode mode(String id) {
    MemoryMode mode = usable.get(id);
    if (mode == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "memory mode "
              + id
              + " does not work here: "
              + unusable.getOrDefault(id, "no such plugin"));
    }
    return mode;
  }

  @Override
  public void close() {
    usable.values().forEach(MemoryMode::close);
  }
}
