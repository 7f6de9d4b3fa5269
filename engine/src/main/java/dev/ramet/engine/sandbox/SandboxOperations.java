// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.CloneReport;
import dev.ramet.engine.CloneRequest;
import dev.ramet.engine.ForkResult;
import dev.ramet.engine.Intents;
import dev.ramet.engine.Metrics;
import dev.ramet.engine.NewSandbox;
import dev.ramet.engine.RollbackReport;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.SandboxRules;
import dev.ramet.engine.Sandboxes;
import dev.ramet.engine.VolumeMount;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.volume.VolumeOperations;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link Sandboxes}: checks requests and passes them to the services of this package.
 */
public final class SandboxOperations implements Sandboxes {
  private static final int MOST_CPUS = 32;
  private static final long LEAST_MEMORY_BYTES = 64L << 20;
  private static final long MOST_MEMORY_BYTES = 64L << 30;
  private static final int MOST_PORT = 65_535;
  private static final Duration ASK = Duration.ofSeconds(10);

  private final Context context;
  private final SandboxLifecycle lifecycle;
  private final SandboxExpiry ends;
  private final NetworkChange network;
  private final Rollback rollback;
  private final Cloner cloner;
  private final PauseService suspension;
  private final SnapshotReclaimer reclaimer;
  private final VolumeOperations volumes;
  private final Views views;

  public SandboxOperations(
      Context context,
      SandboxLifecycle lifecycle,
      SandboxExpiry ends,
      NetworkChange network,
      Rollback rollback,
      Cloner cloner,
      PauseService suspension,
      SnapshotReclaimer reclaimer,
      VolumeOperations volumes,
      Views views) {
    this.context = context;
    this.lifecycle = lifecycle;
    this.ends = ends;
    this.network = network;
    this.rollback = rollback;
    this.cloner = cloner;
    this.suspension = suspension;
    this.reclaimer = reclaimer;
    this.volumes = volumes;
    this.views = views;
  }

  @Override
  public Sandbox create(NewSandbox request) {
    checkSize(request.cpuCount(), request.memoryBytes());
    try (SnapshotReclaimer.Pin pin = reclaimer.pin("template", request.template());
        VolumeOperations.Pin mounts = volumes.pin(request.rules().volumes())) {
      var source = pin.record();
      checkAgent(source, mounts.mounts());
      SandboxRules rules = rules(request).with(mounts.mounts());
      boolean outbound =
          Objects.requireNonNullElseGet(
              request.outbound(),
              () -> context.config().outbound().byDefault() || exceptions(rules));
      checkNetwork(rules.network(), outbound);
      int cpuCount = Objects.requireNonNullElse(request.cpuCount(), source.cpuCount());
      long memoryBytes = Objects.requireNonNullElse(request.memoryBytes(), source.memoryBytes());
      boolean warm = MachineStarter.warm(source, cpuCount, memoryBytes);
      long diskBytes = diskBytes(request.diskBytes(), source, warm);
      context.modes().checkForced(request.memoryMode(), warm ? source.id() : null);
      String id = Ids.next('i');
      Intents.tell(List.of(id));
      return views.sandbox(
          lifecycle.start(
              new SandboxLifecycle.Order(
                  id,
                  "create",
                  source,
                  source.id(),
                  source.name(),
                  cpuCount,
                  memoryBytes,
                  diskBytes,
                  null,
                  request.metadata(),
                  request.environment(),
                  request.timeout(),
                  outbound,
                  request.memoryMode(),
                  rules,
                  false)));
    }
  }

  private static void checkAgent(SnapshotRecord source, List<VolumeMount> mounts) {
    if (!mounts.isEmpty() && source.agentPort() == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "volumeMounts: " + source.id() + " has no agent that could mount them",
          "use a template with Ramet's agent",
          null);
    }
  }

  private static boolean exceptions(SandboxRules rules) {
    return !rules.network().allowOut().isEmpty();
  }

  /**
   * Returns the request's rules. If guests may not open connections by default, only what the
   * request allows is open.
   */
  private SandboxRules rules(NewSandbox request) {
    SandboxRules rules = request.rules();
    boolean closed = request.outbound() == null && !context.config().outbound().byDefault();
    return closed && exceptions(rules) ? rules.with(rules.network().closed()) : rules;
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
    if (!outbound && !rules.requests().none()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "network.rules: the sandbox may not open connections",
          "name the hosts in network.allowOut, or set allow_internet_access",
          null);
    }
    context.requests().check(rules.requests());
    if (outbound) {
      context.egress().check(rules);
    }
  }

  @Override
  public Sandbox setNetwork(String id, NetworkRules rules) {
    LiveSandbox live = visible(id);
    network.set(live, rules);
    return views.sandbox(live);
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
              + " goes on from memory, where the guest knows its disk's size",
          "give memoryMB or cpuCount another value too, which boots it; or take a snapshot of the"
              + " disk alone",
          null);
    }
    return asked;
  }

  /** Refuses CPU counts and memory sizes that no machine can have. */
  public static void checkSize(@Nullable Integer cpuCount, @Nullable Long memoryBytes) {
    if (cpuCount != null && (cpuCount < 1 || cpuCount > MOST_CPUS)) {
      throw RametException.invalid("cpuCount", "must be 1 to " + MOST_CPUS);
    }
    if (memoryBytes != null
        && (memoryBytes < LEAST_MEMORY_BYTES
            || memoryBytes > MOST_MEMORY_BYTES
            || memoryBytes % (1 << 20) != 0)) {
      throw RametException.invalid("memoryMB", "must be 64 to 65536");
    }
  }

  @Override
  public Sandbox get(String id) {
    return views.sandbox(visible(id));
  }

  @Override
  public List<Sandbox> list() {
    return context.sandboxes().all().stream()
        .filter(live -> !live.saved().hidden())
        .map(views::sandbox)
        .sorted(Comparator.comparing(Sandbox::startedAt).reversed().thenComparing(Sandbox::id))
        .toList();
  }

  @Override
  public void kill(String id) {
    lifecycle.kill(visible(id));
  }

  @Override
  public void setEnd(String id, @Nullable Instant endAt) {
    ends.set(visible(id), endAt);
  }

  @Override
  public RollbackReport rollback(String id, String snapshot) {
    return rollback.rollback(visible(id), snapshot);
  }

  @Override
  public CloneReport clone(String id, CloneRequest request) {
    return cloner.cloneAll(visible(id), request);
  }

  @Override
  public List<ForkResult> fork(String id, CloneRequest request) {
    return cloner.fork(visible(id), request);
  }

  @Override
  public InetSocketAddress endpoint(String id, int guestPort) {
    if (guestPort < 1 || guestPort > MOST_PORT) {
      throw RametException.invalid("port", "must be 1 to " + MOST_PORT);
    }
    LiveSandbox live = visible(id);
    RunningVm vm = live.machine();
    if (vm == null || live.leaving() || live.saved().state() != SandboxRecord.State.RUNNING) {
      throw new RametException(ErrorCode.NOT_FOUND, "sandbox " + id + " is not running");
    }
    return vm.forward(guestPort);
  }

  @Override
  public Sandbox pause(String id, boolean keepMemory, @Nullable String memoryMode) {
    LiveSandbox live = visible(id);
    suspension.pause(live, keepMemory, memoryMode, record -> true);
    return views.sandbox(live);
  }

  @Override
  public Sandbox resume(String id, @Nullable Timeout timeout, boolean useMemory) {
    LiveSandbox live = visible(id);
    suspension.resume(live, timeout, useMemory);
    return views.sandbox(live);
  }

  @Override
  public Metrics metrics(String id) {
    LiveSandbox live = visible(id);
    RunningVm vm = live.runningMachine();
    SandboxRecord record = live.saved();
    Integer port = record.agentPort();
    if (port == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "sandbox " + id + " has no agent that could be asked");
    }
    return context.agent().metrics(vm.forward(port), AgentSetup.access(record), ASK);
  }

  @Override
  public Path console(String id) {
    SandboxRecord record = visible(id).saved();
    return Layout.console(context.layout().machine(id, record.machine().number()));
  }

  private LiveSandbox visible(String id) {
    LiveSandbox live = context.sandboxes().get(id);
    SandboxRecord record = live.saved();
    if (record.hidden()) {
      throw new RametException(ErrorCode.NOT_FOUND, "sandbox not found: " + id);
    }
    return live;
  }
}
