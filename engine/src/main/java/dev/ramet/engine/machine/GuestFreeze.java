// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.core.Context;
import dev.ramet.engine.guest.AgentAccess;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The files of a running guest, held still by its agent while their disk is captured alone: all
 * that was written is on the disk, and whoever wants to write waits. Were the host to end, the
 * guest would go on by itself. Used by one thread.
 */
public final class GuestFreeze implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(GuestFreeze.class.getName());

  /** A guest with much to write out needs its time; nobody can write meanwhile. */
  private static final Duration WRITE_OUT = Duration.ofSeconds(30);

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration THAW = Duration.ofSeconds(10);

  private final Context context;
  private final InetSocketAddress agent;
  private final AgentAccess access;
  private boolean frozen;

  /**
   * Freezes them.
   *
   * @param instead what the user can do when there is no agent that could
   * @throws RametException {@code UNSUPPORTED} without an agent, {@code GUEST_UNREACHABLE} when it
   *     cannot
   */
  public GuestFreeze(Context context, SandboxRecord record, RunningVm vm, String instead) {
    Integer port = record.agentPort();
    if (port == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "sandbox " + record.id() + " has no agent that could write out its files",
          instead,
          null);
    }
    this.context = context;
    this.agent = vm.forward(port);
    this.access = AgentSetup.access(record);
    context.agent().freeze(agent, access, LIMIT, WRITE_OUT);
    frozen = true;
  }

  /**
   * Lets the guest write again.
   *
   * @throws RametException {@code GUEST_UNREACHABLE} when the files may not have stood still until
   *     now
   */
  public void thaw() {
    frozen = false;
    context.agent().thaw(agent, access, THAW);
  }

  /** The machine has ended: there is nothing to thaw. */
  public void ended() {
    frozen = false;
  }

  @Override
  public void close() {
    if (!frozen) {
      return;
    }
    try {
      thaw();
    } catch (RametException e) {
      LOG.log(System.Logger.Level.WARNING, "the guest thaws its files by itself: {0}", e);
    }
  }
}
