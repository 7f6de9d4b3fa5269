// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;

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
  void setEnd(String id, @org.jspecify.annotations.Nullable Instant endAt);

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
   * that does not run; another address after each rollback.
   */
  InetSocketAddress endpoint(String id, int guestPort);
}
