// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.ModeRefusal;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.MemoryMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory modes that work on this host, and the choice of those that a capture may try.
 * Thread-safe.
 */
public final class MemoryModes implements AutoCloseable {
  static final String FULL = "full";

  private final List<String> order;
  private final Map<String, MemoryMode> usable;
  private final Map<String, Unfit> unusable;
  private final @Nullable String forced;

  /**
   * A mode that does not work on this host.
   *
   * @param reason why it does not work
   * @param remedy what the operator can do, or null
   */
  public record Unfit(String reason, @Nullable String remedy) {}

  /**
   * Creates the modes of a host.
   *
   * @param order the ids of all modes, best first
   * @param usable opened modes by id
   * @param unusable the others, by id
   * @param forced the only mode the operator allows, or null
   */
  public MemoryModes(
      List<String> order,
      Map<String, MemoryMode> usable,
      Map<String, Unfit> unusable,
      @Nullable String forced) {
    this.order = List.copyOf(order);
    this.usable = Map.copyOf(usable);
    this.unusable = Map.copyOf(unusable);
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
      return forced(wanted, "asked for by the caller", memoryBase);
    }
    if (ofSandbox != null) {
      return forced(ofSandbox, "forced for this sandbox", memoryBase);
    }
    if (forced != null) {
      return forced(forced, "forced by the configuration", memoryBase);
    }
    return among(order, memoryBase);
  }

  private ModeChain forced(String id, String by, @Nullable String memoryBase) {
    Unfit unfit = unusable.get(id);
    String remedy = unfit == null ? null : unfit.remedy();
    return ModeChain.forced(id, by, obstacle(id, memoryBase), remedy);
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
   * Returns the modes for capturing the booted machine of a new template: only {@code full} works
   * there, so none can be forced.
   */
  public ModeChain templateChain() {
    return among(List.of(FULL), null);
  }

  private ModeChain among(List<String> ids, @Nullable String memoryBase) {
    Map<String, ModeRefusal> obstacles = new HashMap<>();
    for (String id : ids) {
      ModeRefusal obstacle = obstacle(id, memoryBase);
      if (obstacle != null) {
        obstacles.put(id, obstacle);
      }
    }
    return ModeChain.of(ids, obstacles);
  }

  private @Nullable ModeRefusal obstacle(String id, @Nullable String memoryBase) {
    if (!usable.containsKey(id)) {
      Unfit unfit = unusable.get(id);
      String why = unfit == null ? "no such plugin" : unfit.reason();
      return new ModeRefusal(id, ModeRefusal.Cause.UNUSABLE_HERE, why);
    }
    return memoryBase == null && !FULL.equals(id)
        ? new ModeRefusal(
            id,
            ModeRefusal.Cause.BOOTED,
            "the machine was booted, so there is no image to build on")
        : null;
  }

  private void check(@Nullable String wanted) {
    if (wanted != null && !usable.containsKey(wanted) && !unusable.containsKey(wanted)) {
      List<String> known = new ArrayList<>(usable.keySet());
      known.addAll(unusable.keySet());
      known.sort(null);
      throw RametException.invalid("memoryMode", "must be one of " + String.join(", ", known));
    }
  }

  /** Returns the mode with this id, which a chain has named. */
  public MemoryMode mode(String id) {
    MemoryMode mode = usable.get(id);
    if (mode == null) {
      throw new IllegalArgumentException("memory mode " + id + " is not open");
    }
    return mode;
  }

  @Override
  public void close() {
    usable.values().forEach(MemoryMode::close);
  }
}
