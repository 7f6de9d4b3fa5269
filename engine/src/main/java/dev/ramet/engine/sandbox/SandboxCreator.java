// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.egress.filter.EgressFilter;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.Shape;
import dev.ramet.engine.machine.MachineSize;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.TemplateVersions;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.volume.VolumeOperations;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Creates sandboxes from templates and snapshots: refuses requests that could not have their
 * effect, before anything is made. Thread-safe.
 */
public final class SandboxCreator {
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;
  private final VolumeOperations volumes;
  private final MemoryModes modes;
  private final GuestRequests requests;
  private final EgressFilter egress;
  private final boolean outboundByDefault;

  /**
   * Creates the creator of a root's sandboxes.
   *
   * @param outboundByDefault whether guests may open connections unless the request says otherwise
   */
  public SandboxCreator(
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer,
      VolumeOperations volumes,
      MemoryModes modes,
      GuestRequests requests,
      EgressFilter egress,
      boolean outboundByDefault) {
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
    this.volumes = volumes;
    this.modes = modes;
    this.requests = requests;
    this.egress = egress;
    this.outboundByDefault = outboundByDefault;
  }

  /** Creates a sandbox. If this fails, nothing of it is left. */
  LiveSandbox create(NewSandbox request, IdListener listener) {
    MachineSize.check(request.cpuCount(), request.memoryBytes());
    String name = request.label().name();
    if (name != null) {
      Ids.checkSandboxName("name", name);
    }
    try (SnapshotReclaimer.Pin pin = reclaimer.pin(TemplateVersions.KIND, request.template());
        VolumeOperations.Pin mounts = volumes.pin(request.rules().volumes())) {
      var source = pin.record();
      checkAgent(source, mounts.mounts());
      SandboxRules rules = rules(request).with(mounts.mounts());
      boolean outbound =
          Objects.requireNonNullElseGet(
              request.outbound(), () -> outboundByDefault || hasExceptions(rules));
      checkNetwork(rules.network(), outbound);
      int cpuCount = Objects.requireNonNullElse(request.cpuCount(), source.cpuCount());
      long memoryBytes = Objects.requireNonNullElse(request.memoryBytes(), source.memoryBytes());
      boolean warm = MachineStarter.canRestore(source, cpuCount, memoryBytes);
      long diskBytes = diskBytes(request.diskBytes(), source, warm);
      modes.checkForced(request.memoryMode(), warm ? source.id() : null);
      String id = Ids.newId('i');
      listener.assigning(List.of(id));
      return lifecycle.start(
          new SandboxOrder(
              id,
              "create",
              new SandboxOrder.Source(source, source.id(), source.name(), null),
              new Shape(cpuCount, memoryBytes, diskBytes),
              request.label(),
              new SandboxOrder.Options(
                  rules, outbound, request.memoryMode(), request.timeout(), request.environment()),
              false));
    }
  }

  private static void checkAgent(SnapshotRecord source, List<VolumeMount> mounts) {
    if (!mounts.isEmpty() && source.agentPort() == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "volumeMounts: " + source.id() + " has no agent to mount them",
          "use a template with Ramet's agent",
          null);
    }
  }

  private static boolean hasExceptions(SandboxRules rules) {
    return !rules.network().allowOut().isEmpty();
  }

  /**
   * Returns the request's rules. If guests may not open connections by default, only what the
   * request allows is open.
   */
  private SandboxRules rules(NewSandbox request) {
    SandboxRules rules = request.rules();
    boolean closed = request.outbound() == null && !outboundByDefault;
    return closed && hasExceptions(rules) ? rules.with(rules.network().denyingRest()) : rules;
  }

  /** Refuses rules that would have no effect, before anything is made. */
  private void checkNetwork(NetworkRules rules, boolean outbound) {
    rules.checkNames();
    if (!outbound && !rules.allowOut().isEmpty()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "network.allowOut: the sandbox may not open connections",
          "set allow_internet_access",
          null);
    }
    if (!outbound && rules.egressProxy() != null) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "network.egressProxy: the sandbox may not open connections",
          "set allow_internet_access, or allow something in network.allowOut",
          null);
    }
    if (!outbound && !rules.requests().isEmpty()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "network.rules: the sandbox may not open connections",
          "name the hosts in network.allowOut, or set allow_internet_access",
          null);
    }
    requests.check(rules.requests());
    if (outbound) {
      egress.check(rules);
    }
  }

  /**
   * Returns the size of the disk to make. A disk can only grow, and only for a guest that boots: a
   * restored guest has its disk's size in memory.
   */
  private static long diskBytes(@Nullable Long asked, SnapshotRecord source, boolean warm) {
    if (asked == null || asked == source.diskBytes()) {
      return source.diskBytes();
    }
    if (asked < source.diskBytes()) {
      throw RametException.invalid(
          "diskSizeMB", "must be at least the source's, " + (source.diskBytes() >> 20));
    }
    if (warm) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "diskSizeMB: "
              + source.id()
              + " resumes from memory, and its guest already knows the size of its disk",
          "change memoryMB or cpuCount too, so that the sandbox boots; or start from a snapshot"
              + " of the disk alone",
          null);
    }
    return asked;
  }
}
