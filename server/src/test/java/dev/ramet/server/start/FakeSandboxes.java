// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.Shape;
import dev.ramet.engine.sandboxes.CloneReport;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.MachineUsage;
import dev.ramet.engine.sandboxes.Metrics;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.ProgramOutput;
import dev.ramet.engine.sandboxes.RollbackReport;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Sandboxes in memory. {@link #endpoints} has the addresses of their ports. */
final class FakeSandboxes implements Sandboxes {
  final Map<String, Sandbox> byId = new ConcurrentHashMap<>();
  final Map<String, InetSocketAddress> endpoints = new ConcurrentHashMap<>();
  volatile @Nullable NewSandbox last;
  volatile @Nullable CloneRequest lastClone;
  volatile boolean lastPauseKeptMemory;
  @Nullable String lastPauseMode;
  volatile Path console = Path.of("/nonexistent");
  final AtomicInteger restarts = new AtomicInteger();
  volatile @Nullable ProgramOutput output;
  final AtomicInteger resumes = new AtomicInteger();
  volatile @Nullable Timeout lastTimeout;

  /** Runs after a sandbox is created and before the caller gets it. */
  volatile Runnable afterMade = () -> {};

  private final AtomicInteger count = new AtomicInteger();
  private final FakeEngine engine;

  FakeSandboxes(FakeEngine engine) {
    this.engine = engine;
  }

  @Override
  public Sandbox create(NewSandbox request, IdListener ids) {
    request.rules().network().requests().check(engine.secrets);
    last = request;
    FakeTemplates.failIfAsked(request.template());
    boolean snapshot = engine.snapshots.byId.containsKey(request.template());
    if (!snapshot) {
      engine.templates.get(request.template());
    }
    Sandbox made =
        add(
            request.template(),
            null,
            request.label(),
            request.timeout(),
            request.rules().with(engine.volumes.found(request.rules().volumes())),
            ids);
    afterMade.run();
    return made;
  }

  @Override
  public @Nullable String memoryWarning(long memoryBytes) {
    return memoryBytes > 1L << 36 ? "more than is free" : null;
  }

  private Sandbox add(
      String template,
      @Nullable String parent,
      Sandbox.Label label,
      @Nullable Duration timeout,
      SandboxRules rules,
      IdListener ids) {
    Instant now = Instant.now();
    String id = "sbx" + count.incrementAndGet();
    ids.assigning(List.of(id));
    Sandbox made =
        new Sandbox(
            id,
            new Sandbox.Status(Sandbox.State.RUNNING, null, 4711L),
            new Sandbox.Origin(template, template, parent),
            new Shape(1, 512L << 20, 1L << 30),
            label,
            new Sandbox.Lifetime(now, timeout == null ? null : now.plus(timeout)),
            null,
            new Sandbox.Access(
                true,
                rules,
                rules.secure() ? "token" + count.get() : null,
                rules.inbound().anyone() ? null : "traffic" + count.get(),
                Sandbox.Agent.AUTHENTICATED));
    byId.put(made.id(), made);
    return made;
  }

  @Override
  public Sandbox get(String id) {
    Sandbox found = byId.get(id);
    if (found == null) {
      found = byId.values().stream().filter(s -> id.equals(s.name())).findAny().orElse(null);
    }
    if (found == null) {
      throw RametException.notFound("sandbox", id);
    }
    return found;
  }

  @Override
  public List<Sandbox> list() {
    return byId.values().stream()
        .sorted(Comparator.comparing(Sandbox::startedAt).reversed())
        .toList();
  }

  @Override
  public void kill(String id) {
    byId.remove(get(id).id());
  }

  @Override
  public void setEnd(String id, @Nullable Instant endAt) {
    change(id, get(id).state(), endAt);
  }

  @Override
  public Sandbox setNetwork(String id, NetworkRules rules) {
    Sandbox s = get(id);
    rules.requests().check(engine.secrets);
    return change(id, s.state(), s.endAt(), s.rules().with(rules));
  }

  private Sandbox change(String id, Sandbox.State state, @Nullable Instant endAt) {
    return change(id, state, endAt, get(id).rules());
  }

  private Sandbox change(
      String id, Sandbox.State state, @Nullable Instant endAt, SandboxRules rules) {
    return change(id, state, endAt, rules, get(id).label());
  }

  private Sandbox change(
      String id,
      Sandbox.State state,
      @Nullable Instant endAt,
      SandboxRules rules,
      Sandbox.Label label) {
    Sandbox s = get(id);
    Sandbox changed =
        new Sandbox(
            s.id(),
            new Sandbox.Status(state, s.stateDetail(), s.hypervisorPid()),
            new Sandbox.Origin(s.templateId(), s.templateName(), s.parentId()),
            new Shape(s.cpuCount(), s.memoryBytes(), s.diskBytes()),
            label,
            new Sandbox.Lifetime(s.startedAt(), endAt),
            s.memoryMode(),
            new Sandbox.Access(s.outbound(), rules, s.accessToken(), s.trafficToken(), s.agent()));
    byId.put(s.id(), changed);
    return changed;
  }

  @Override
  public Sandbox pause(String id, boolean keepMemory, @Nullable String memoryMode) {
    if (memoryMode != null && !memoryMode.equals("incremental")) {
      throw RametException.invalid("memoryMode", "must be one of incremental");
    }
    if (get(id).state() == Sandbox.State.PAUSED) {
      throw new RametException(
          ErrorCode.CONFLICT, "sandbox " + id + " is not running; it is paused");
    }
    lastPauseKeptMemory = keepMemory;
    lastPauseMode = memoryMode;
    return change(id, Sandbox.State.PAUSED, Instant.now());
  }

  @Override
  public Sandbox resume(String id, @Nullable Timeout timeout, boolean useMemory) {
    resumes.incrementAndGet();
    lastTimeout = timeout;
    Duration time = timeout == null ? Duration.ofSeconds(1) : timeout.duration();
    return change(id, Sandbox.State.RUNNING, time == null ? null : Instant.now().plus(time));
  }

  @Override
  public Sandbox restart(String id) {
    restarts.incrementAndGet();
    return change(id, Sandbox.State.RUNNING, get(id).endAt());
  }

  @Override
  public Sandbox setLabel(String id, LabelChange change) {
    Sandbox s = get(id);
    return change(id, s.state(), s.endAt(), s.rules(), change.applyTo(s.label()));
  }

  @Override
  public Metrics metrics(String id) {
    get(id);
    return new Metrics(Instant.now(), 1, 12.5, 100, 50, 25, 1000, 500);
  }

  @Override
  public MachineUsage usage(String id) {
    MachineUsage.Traffic traffic = new MachineUsage.Traffic(3, 4);
    return new MachineUsage(Instant.EPOCH, Duration.ofMillis(1500), 1, 2, traffic, null);
  }

  @Override
  public @Nullable ProgramOutput programOutput(String id) {
    if (get(id).state() != Sandbox.State.RUNNING) {
      throw new RametException(ErrorCode.CONFLICT, "sandbox " + id + " is not running");
    }
    return output;
  }

  @Override
  public Path console(String id) {
    get(id);
    return console;
  }

  @Override
  public RollbackReport rollback(String id, String snapshot) {
    Sandbox sandbox = get(id);
    return new RollbackReport(sandbox, engine.snapshots.get(snapshot).id(), 12_345_678);
  }

  @Override
  public CloneReport clone(String id, CloneRequest request, IdListener ids) {
    lastClone = request;
    Sandbox parent = get(id);
    List<Sandbox> clones = new ArrayList<>();
    for (int i = 0; i < request.count(); i++) {
      clones.add(
          add(
              parent.templateId(),
              id,
              new Sandbox.Label(null, parent.metadata()),
              request.timeout(),
              parent.rules(),
              ids));
    }
    return new CloneReport(clones, FakeCapture.report(), 2_000_000);
  }

  @Override
  public List<ForkResult> fork(String id, CloneRequest request, IdListener ids) {
    List<ForkResult> results = new ArrayList<>();
    clone(id, request, ids).sandboxes().forEach(s -> results.add(new ForkResult.Made(s)));
    if (request.count() > 1) {
      results.set(
          1, new ForkResult.NotMade(new RametException(ErrorCode.UNAVAILABLE, "host is busy")));
    }
    return results;
  }

  @Override
  public InetSocketAddress endpoint(String id, int guestPort) {
    if (get(id).state() != Sandbox.State.RUNNING) {
      throw new RametException(ErrorCode.NOT_FOUND, "sandbox " + id + " is not running");
    }
    InetSocketAddress address = endpoints.get(id + ":" + guestPort);
    if (address == null) {
      throw new RametException(ErrorCode.GUEST_UNREACHABLE, "no such port");
    }
    return address;
  }
}
