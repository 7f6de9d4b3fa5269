// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.agent.host.Agent;
import dev.ramet.agent.host.AgentAccess;
import dev.ramet.agent.host.GuestLoad;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.sandboxes.Metrics;
import dev.ramet.engine.state.HostSecret;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.volume.VolumeLinks;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.settings.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sets up the agent of a machine for its sandbox: environment, tokens, volumes, and trust in the
 * host's certificate authority. Thread-safe.
 */
public final class AgentSetup {
  /** How long a booting guest may take until its agent answers. */
  public static final Setting<Duration> AGENT_TIMEOUT =
      Setting.duration(
          "ramet.agent-timeout",
          Duration.ofMinutes(2),
          "How long the agent of a booting guest may take to answer.");

  private final Agent agent;
  private final VolumeLinks links;
  private final GuestRequests requests;
  private final Duration timeout;
  private final Path root;
  private final StepObserver steps;

  public AgentSetup(
      Agent agent,
      VolumeLinks links,
      GuestRequests requests,
      Duration timeout,
      Path root,
      StepObserver steps) {
    this.agent = agent;
    this.links = links;
    this.requests = requests;
    this.timeout = timeout;
    this.root = root;
    this.steps = steps;
  }

  /** Returns the credentials for calls to a sandbox's agent. */
  public static AgentAccess access(SandboxRecord record) {
    return new AgentAccess(
        record.terms().accessToken(), HostSecret.textOf(record.machine().hostSecret()));
  }

  /** Returns a guest's load, which was asked for just now, as callers see it. */
  public static Metrics metrics(GuestLoad load) {
    return new Metrics(
        Instant.now(),
        load.cpuCount(),
        load.cpuUsedPercent(),
        load.memoryTotalBytes(),
        load.memoryUsedBytes(),
        load.memoryCacheBytes(),
        load.diskTotalBytes(),
        load.diskUsedBytes());
  }

  /**
   * Waits for the agent and sets it up for the sandbox.
   *
   * @return the secret by which the agent recognises this host; null if it cannot tell this host
   *     from others
   */
  @Nullable HostSecret initialise(
      MachineOrder order, HostProof proof, RunningVm vm, int agentPort) {
    AgentAccess access;
    HostSecret secret;
    try {
      boolean demands =
          agent.initialise(
              vm.endpoint(agentPort),
              new Agent.Start(
                  order.environment(),
                  order.tokenToSet(),
                  order.rules().volumes().stream().map(AgentSetup::mountPoint).toList(),
                  HostSecret.textOf(proof.shown()),
                  HostSecret.textOf(proof.own())),
              !order.canRestore(),
              () -> !vm.exit().toCompletableFuture().isDone(),
              timeout);
      secret = demands ? proof.own() : null;
      access = new AgentAccess(order.accessToken(), HostSecret.textOf(secret));
      if (!order.rules().network().requests().isEmpty()) {
        trust(vm, agentPort, access);
      }
    } catch (RametException e) {
      throw Errors.diskFullOr("cannot start " + order.sandboxId(), root, e);
    }
    mount(order, access, vm, agentPort);
    return secret;
  }

  private static Agent.MountPoint mountPoint(VolumeMount mount) {
    return new Agent.MountPoint(String.valueOf(mount.volumeId()), mount.path());
  }

  private void mount(MachineOrder order, AgentAccess access, RunningVm vm, int agentPort) {
    List<VolumeMount> mounts = order.rules().volumes();
    if (!mounts.isEmpty()) {
      steps.before(order.operation() + ".volumes");
      links.attach(
          new VolumeLinks.Machine(order.sandboxId(), vm, agentPort, access), mounts, timeout);
    }
  }

  /** Reconnects a machine that was found again to its volumes. */
  void remount(SandboxRecord record, RunningVm vm) {
    Integer agentPort = record.agentPort();
    if (agentPort != null) {
      links.reattach(
          new VolumeLinks.Machine(record.id(), vm, agentPort, access(record)),
          record.terms().rules().volumes());
    }
  }

  /**
   * Makes programs in the guest trust this host's certificate authority, because the host ends TLS
   * where egress rules apply to requests.
   */
  public void trust(RunningVm vm, int agentPort, AgentAccess access) {
    agent.trust(vm.endpoint(agentPort), requests.authority(), access, timeout);
  }
}
