// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.IdListener;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operations on sandboxes. Every call accepts a sandbox's name instead of its id, and throws {@code
 * NOT_FOUND} for an unknown id, and {@code CONFLICT} for a sandbox that another operation is
 * changing.
 */
public interface Sandboxes {
  /** The time that a sandbox has if its creator names none. */
  Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  /** Starts a sandbox from a template or snapshot. Returns when its agent has answered. */
  default Sandbox create(NewSandbox request) {
    return create(request, IdListener.NONE);
  }

  /**
   * Starts a sandbox like {@link #create(NewSandbox)}.
   *
   * @param ids receives the sandbox's id beforehand
   */
  Sandbox create(NewSandbox request, IdListener ids);

  /** Returns a warning if a sandbox of this size may use more memory than is free now, or null. */
  @Nullable String memoryWarning(long memoryBytes);

  /** Returns the sandbox with this id. */
  Sandbox get(String id);

  /** Returns all sandboxes on record, newest first. */
  List<Sandbox> list();

  /** Ends a sandbox and deletes its disk. */
  void kill(String id);

  /** Sets when the sandbox's time is over, or never. */
  void setEnd(String id, @Nullable Instant endAt);

  /**
   * Replaces the rules for which addresses the sandbox may reach, with immediate effect, also on
   * open connections. {@code CONFLICT} for new rules that allow connections to a sandbox that may
   * not open any; {@code UNSUPPORTED} on a host that cannot filter.
   */
  Sandbox setNetwork(String id, NetworkRules rules);

  /**
   * Stops a running sandbox so that it uses neither memory nor CPU until it is resumed. Nothing it
   * does after the captured instant becomes visible outside. {@code CONFLICT} when it does not run.
   *
   * @param keepMemory whether its memory and devices are kept; if not, its file systems are
   *     flushed, and it boots when it is resumed
   */
  default Sandbox pause(String id, boolean keepMemory) {
    return pause(id, keepMemory, null);
  }

  /**
   * Stops a running sandbox like {@link #pause(String, boolean)}, with a choice of memory mode. If
   * the mode cannot do it, the sandbox keeps running.
   *
   * @param memoryMode id of the only memory mode that may capture the memory, or null for the
   *     sandbox's setting
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when there is no such mode or
   *     no memory is to be kept, {@code UNSUPPORTED} when the mode cannot do it
   */
  Sandbox pause(String id, boolean keepMemory, @Nullable String memoryMode);

  /**
   * Resumes a paused sandbox; a running one is left as it is.
   *
   * @param timeout the time after which its time is over, or null for the duration it was last
   *     given
   * @param useMemory whether kept memory is used; if not, it boots
   */
  Sandbox resume(String id, @Nullable Timeout timeout, boolean useMemory);

  /**
   * Boots a sandbox again from its own disk, under the same id. Its memory and its running programs
   * are lost. The files of a running guest are written to the disk first; a guest that does not
   * respond boots as after a loss of power. A sandbox whose machine died runs again; a paused one
   * boots from the disk it was paused with. On failure the sandbox stays as it was.
   */
  Sandbox restart(String id);

  /**
   * Changes the name and the labels of a sandbox in any state.
   *
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when another sandbox has the
   *     name, {@code INVALID_ARGUMENT} for a malformed one
   */
  Sandbox setLabel(String id, LabelChange change);

  /**
   * A change of a sandbox's name and labels.
   *
   * @param name the new name, empty for none, or null to keep the name
   * @param set the labels to set, by key
   * @param removed the keys of the labels to remove
   */
  record LabelChange(@Nullable String name, Map<String, String> set, Set<String> removed) {
    /** Copies the collections. */
    public LabelChange {
      set = Map.copyOf(set);
      removed = Set.copyOf(removed);
    }

    /** Returns a label with this change. */
    public Sandbox.Label applyTo(Sandbox.Label before) {
      Map<String, String> metadata = new HashMap<>(before.metadata());
      metadata.keySet().removeAll(removed);
      metadata.putAll(set);
      String after = name == null ? before.name() : name.isEmpty() ? null : name;
      return new Sandbox.Label(after, metadata);
    }
  }

  /**
   * The time that a resumed sandbox gets.
   *
   * @param duration the duration, or null for no limit
   * @param replacesNever whether the duration also applies to a sandbox that was to live for ever;
   *     if not, such a sandbox keeps having no end
   */
  record Timeout(@Nullable Duration duration, boolean replacesNever) {
    /** Creates a timeout that leaves a sandbox without an end as it is. */
    public Timeout(@Nullable Duration duration) {
      this(duration, false);
    }
  }

  /** Asks a running guest for its load. */
  Metrics metrics(String id);

  /**
   * Measures what a running sandbox uses of the host. {@code CONFLICT} for a sandbox that does not
   * run.
   */
  MachineUsage usage(String id);

  /**
   * Returns the file that holds the end of the guest's console output; the file is absent for a
   * sandbox that does not run.
   */
  Path console(String id);

  /**
   * Asks a running guest for the output of the program that its template starts: the command of a
   * container image, or the start command of a template build. {@code CONFLICT} for a sandbox that
   * does not run.
   *
   * @return the end of the output, or null if the template starts no program
   */
  @Nullable ProgramOutput programOutput(String id);

  /**
   * Rolls a sandbox back to a snapshot of itself or of a relative with the same machine shape. Its
   * id stays the same. On failure the sandbox stays as it was.
   *
   * @param snapshot id or name of the snapshot
   */
  RollbackReport rollback(String id, String snapshot);

  /**
   * Creates {@code request.count()} sandboxes from one instant of a running sandbox, either all of
   * them or none.
   */
  default CloneReport clone(String id, CloneRequest request) {
    return clone(id, request, IdListener.NONE);
  }

  /**
   * Creates clones like {@link #clone(String, CloneRequest)}.
   *
   * @param ids receives the ids of all clones beforehand
   */
  CloneReport clone(String id, CloneRequest request, IdListener ids);

  /**
   * Creates clones like {@link #clone(String, CloneRequest)}, but returns the success or failure of
   * each child.
   */
  default List<ForkResult> fork(String id, CloneRequest request) {
    return fork(id, request, IdListener.NONE);
  }

  /**
   * Creates clones like {@link #fork(String, CloneRequest)}.
   *
   * @param ids receives the ids of all clones beforehand
   */
  List<ForkResult> fork(String id, CloneRequest request, IdListener ids);

  /**
   * Returns the host address that reaches a TCP port of the guest. The address changes with each
   * rollback. {@code NOT_FOUND} also for a sandbox that does not run or is about to be paused.
   */
  InetSocketAddress endpoint(String id, int guestPort);
}
