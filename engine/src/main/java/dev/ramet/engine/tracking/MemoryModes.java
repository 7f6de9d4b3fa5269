// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.MemoryMode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The memory modes that work on this host, and the choice of those that a capture may try.
 * Thread-safe.
 */
public final class MemoryModes implements AutoCloseable {
  private final Map<String, ModeCandidate> candidates = new LinkedHashMap<>();
  private final @Nullable String forced;

  /**
   * Creates the modes of a host.
   *
   * @param ranked all modes, best first
   * @param forced the only mode the operator allows, or null
   */
  public MemoryModes(List<ModeCandidate> ranked, @Nullable String forced) {
    ranked.forEach(one -> candidates.put(one.id(), one));
    this.forced = forced;
  }

  /**
   * Returns the modes that a capture may try, without those that do not work here.
   *
   * @param memoryBase the snapshot the machine was restored from, or null if it was booted
   * @param wanted the only mode the caller allows, or null; takes precedence over all others
   * @param ofSandbox the only mode that the sandbox's creator allows, or null; takes precedence
   *     over the operator's
   * @throws RametException {@code INVALID_ARGUMENT} when there is no such mode, {@code UNSUPPORTED}
   *     when a forced mode does not work here
   */
  public ModeChain chain(
      @Nullable String memoryBase, @Nullable String wanted, @Nullable String ofSandbox) {
    check(wanted);
    if (wanted != null) {
      return forcedChain(wanted, "requested by the caller", memoryBase);
    }
    if (ofSandbox != null) {
      return forcedChain(ofSandbox, "forced for this sandbox", memoryBase);
    }
    if (forced != null) {
      return forcedChain(forced, "forced by the configuration", memoryBase);
    }
    return chainOf(List.copyOf(candidates.values()), memoryBase);
  }

  private ModeChain forcedChain(String id, String by, @Nullable String memoryBase) {
    ModeCandidate candidate = candidates.get(id);
    if (candidate == null) {
      ModeRefusal missing = new ModeRefusal(id, ModeRefusal.Cause.UNUSABLE_HERE, "no such plugin");
      return ModeChain.ofForced(id, false, by, missing, null);
    }
    boolean tracks = candidate.facts().sinceCapture();
    return ModeChain.ofForced(
        id, tracks, by, findObstacle(candidate, memoryBase), candidate.remedy());
  }

  /**
   * Refuses a forced mode that could never work for a sandbox that is about to be created.
   *
   * @param wanted the mode to force, or null
   * @param memoryBase the snapshot its machine will be restored from, or null if it will be booted
   * @throws RametException as {@link #chain}
   */
  public void checkForced(@Nullable String wanted, @Nullable String memoryBase) {
    if (wanted != null) {
      chain(memoryBase, wanted, null);
    }
  }

  /**
   * Returns the modes for capturing the booted machine of a new template: only those that accept
   * any memory work there, so none can be forced.
   */
  public ModeChain templateChain() {
    return chainOf(
        candidates.values().stream().filter(one -> one.facts().anyMemory()).toList(), null);
  }

  private static ModeChain chainOf(List<ModeCandidate> ranked, @Nullable String memoryBase) {
    Map<String, ModeRefusal> obstacles = new HashMap<>();
    Set<String> tracking = new HashSet<>();
    for (ModeCandidate one : ranked) {
      ModeRefusal obstacle = findObstacle(one, memoryBase);
      if (obstacle != null) {
        obstacles.put(one.id(), obstacle);
      }
      if (one.facts().sinceCapture()) {
        tracking.add(one.id());
      }
    }
    return ModeChain.ofModes(ranked.stream().map(ModeCandidate::id).toList(), tracking, obstacles);
  }

  private static @Nullable ModeRefusal findObstacle(
      ModeCandidate one, @Nullable String memoryBase) {
    if (one.mode() == null) {
      return new ModeRefusal(one.id(), ModeRefusal.Cause.UNUSABLE_HERE, one.obstacle());
    }
    return memoryBase == null && !one.facts().anyMemory()
        ? new ModeRefusal(
            one.id(),
            ModeRefusal.Cause.BOOTED,
            "the machine was booted, so there is no image to build on")
        : null;
  }

  private void check(@Nullable String wanted) {
    if (wanted != null && !candidates.containsKey(wanted)) {
      throw RametException.invalid(
          "memoryMode", "must be one of " + String.join(", ", new TreeSet<>(candidates.keySet())));
    }
  }

  /**
   * Returns whether a mode can select pages relative to the previous capture. False if its plugin
   * is gone, since nobody knows then.
   *
   * @param id the mode of an earlier capture
   */
  public boolean supportsTracking(String id) {
    ModeCandidate candidate = candidates.get(id);
    return candidate != null && candidate.facts().sinceCapture();
  }

  /** Returns the mode with this id, which a chain has named. */
  public OpenMode requireMode(String id) {
    ModeCandidate candidate = candidates.get(id);
    MemoryMode mode = candidate == null ? null : candidate.mode();
    if (candidate == null || mode == null) {
      throw new IllegalArgumentException("memory mode " + id + " is not open");
    }
    return new OpenMode(id, candidate.facts(), mode);
  }

  @Override
  public void close() {
    for (ModeCandidate one : candidates.values()) {
      MemoryMode mode = one.mode();
      if (mode != null) {
        mode.close();
      }
    }
  }
}
