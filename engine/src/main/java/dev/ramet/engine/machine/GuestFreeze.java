// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.agent.host.Agent;
import dev.ramet.agent.host.AgentAccess;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Freezes the files of a running guest through its agent while its disk is captured without the
 * memory: everything written so far is on the disk, and new writes wait. If the host stops, the
 * guest thaws the files by itself. Used by one thread.
 */
public final class GuestFreeze implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(GuestFreeze.class.getName());

  /** Long enough for a guest with much to write back; its programs cannot write meanwhile. */
  private static final Duration WRITE_OUT = Duration.ofSeconds(30);

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration THAW = Duration.ofSeconds(10);

  private final Agent agent;
  private final InetSocketAddress address;
  private final AgentAccess access;
  private boolean frozen;

  /**
   * Freezes the files.
   *
   * @param instead what the user can do if the guest has no agent that could freeze them
   * @throws RametException {@code UNSUPPORTED} without an agent, {@code GUEST_UNREACHABLE} if the
   *     agent cannot freeze them
   */
  public GuestFreeze(Agent agent, SandboxRecord record, RunningVm vm, String instead) {
    Integer port = record.agentPort();
    if (port == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "sandbox " + record.id() + " has no agent to write its files to disk",
          instead,
          null);
    }
    this.agent = agent;
    this.address = vm.endpoint(port);
    this.access = AgentSetup.access(record);
    agent.freeze(address, access, LIMIT, WRITE_OUT);
    frozen = true;
  }

  /**
   * Thaws the files.
   *
   * @throws RametException {@code GUEST_UNREACHABLE} if the files may not have been frozen all the
   *     time
   */
  public void thaw() {
    frozen = false;
    agent.thaw(address, access, THAW);
  }

  /** Marks the machine as ended, so that there is nothing to thaw. */
  public void markEnded() {
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
      LOG.log(
          System.Logger.Level.WARNING,
          "cannot thaw the guest's file systems; its agent does so by itself: {0}",
          e);
    }
  }
}
