// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Operations on sandboxes. A call on an unknown id throws {@code NOT_FOUND}; on a sandbox that
 * another operation is changing, {@code CONFLICT}.
 */
public interface Sandboxes {
  /** Starts a sandbox from a template or snapshot. Returns when its agent has answered. */
  Sandbox create(NewSandbox request);

  /** The sandbox with this id. */
  Sandbox get(String id);

  /** All sandboxes on record, newest first. */
  List<Sandbox> list();

  /** Ends a sandbox and deletes its disk. */
  void kill(String id);

  /** Sets when the sandbox is killed by itself, or never. */
  void setEnd(String id, @Nullable Instant endAt);

  /**
   * Sets which addresses the sandbox may reach, in place of the rules before and at once, for
   * connections that are open too. {@code CONFLICT} for one that may not open connections and is to
   * be allowed some; {@code UNSUPPORTED} on a host that cannot filter.
   */
  Sandbox setNetwork(String id, NetworkRules rules);

  /**
   * Stops a running sandbox so that it uses neither memory nor CPU until it is resumed. Nothing it
   * does after the instant that is kept is seen by anybody. {@code CONFLICT} when it does not run.
   *
   * @param keepMemory whether its memory and devices are kept; else its file systems are written
   *     out, and it boots when it is resumed
   */
  default Sandbox pause(String id, boolean keepMemory) {
    return pause(id, keepMemory, null);
  }

  /**
   * The same with a memory mode. When it cannot do it, the sandbox runs on.
   *
   * @param memoryMode id of the only memory mode that may keep the memory, or null for what holds
   *     for the sandbox
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when there is no such mode or
   *     no memory is to be kept, {@code UNSUPPORTED} when it cannot do it
   */
  Sandbox pause(String id, boolean keepMemory, @Nullable String memoryMode);

  /**
   * Lets a paused sandbox go on; one that runs is left as it is.
   *
   * @param timeout after which its time is over, or null for as long as it was last given
   * @param useMemory whether kept memory is used; else it boots
   */
  Sandbox resume(String id, @Nullable Timeout timeout, boolean useMemory);

  /**
   * A time that may have no end.
   *
   * @param duration how long, or null for ever
   */
  record Timeout(@Nullable Duration duration) {}

  /** Asks a running guest for its load. */
  Metrics metrics(String id);

  /**
   * The file that holds the end of what the guest wrote to its console; absent for one that does
   * not run.
   */
  Path console(String id);

  /**
   * Puts a sandbox back to a snapshot taken of it or of a relative with the same machine shape. The
   * id stays. On failure the sandbox is as it was.
   *
   * @param snapshot id or name
   */
  RollbackReport rollback(String id, String snapshot);

  /**
   * Makes {@code request.count()} sandboxes from one instant of a running sandbox: all of them, or
   * none.
   */
  CloneReport clone(String id, CloneRequest request);

  /** Like {@link #clone}, but answers each child's success or failure by itself. */
  List<ForkResult> fork(String id, CloneRequest request);

  /**
   * The host address that reaches a TCP port of the guest. {@code NOT_FOUND} also for a sandbox
   * that does not run, or is about to be paused; another address after each rollback.
   */
  InetSocketAddress endpoint(String id, int guestPort);
}
