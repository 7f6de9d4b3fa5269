// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.sandboxes.CloneReport;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.MachineUsage;
import dev.ramet.engine.sandboxes.Metrics;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.ProgramOutput;
import dev.ramet.engine.sandboxes.RollbackReport;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link Sandboxes}: checks requests and passes them to the services of this package.
 */
public final class SandboxOperations implements Sandboxes {
  private final SandboxStore sandboxes;
  private final SandboxCreator creator;
  private final Cloner cloner;
  private final SandboxLifecycle lifecycle;
  private final SandboxChanges changes;
  private final GuestAccess guests;
  private final RecordViews views;
  private final FreeSpace space;

  public SandboxOperations(
      SandboxStore sandboxes,
      SandboxCreator creator,
      Cloner cloner,
      SandboxLifecycle lifecycle,
      SandboxChanges changes,
      GuestAccess guests,
      RecordViews views,
      FreeSpace space) {
    this.sandboxes = sandboxes;
    this.creator = creator;
    this.cloner = cloner;
    this.lifecycle = lifecycle;
    this.changes = changes;
    this.guests = guests;
    this.views = views;
    this.space = space;
  }

  @Override
  public Sandbox create(NewSandbox request, IdListener ids) {
    space.require("create a sandbox");
    return views.sandbox(creator.create(request, ids));
  }

  @Override
  public @Nullable String memoryWarning(long memoryBytes) {
    return lifecycle.memory().warning(memoryBytes);
  }

  @Override
  public Sandbox setNetwork(String id, NetworkRules rules) {
    LiveSandbox live = visible(id);
    changes.network().set(live, rules);
    return views.sandbox(live);
  }

  @Override
  public Sandbox get(String id) {
    return views.sandbox(visible(id));
  }

  @Override
  public List<Sandbox> list() {
    return sandboxes.all().stream()
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
    changes.expiry().set(visible(id), endAt);
  }

  @Override
  public RollbackReport rollback(String id, String snapshot) {
    return changes.rollback().rollback(visible(id), snapshot);
  }

  @Override
  public CloneReport clone(String id, CloneRequest request, IdListener ids) {
    space.require("clone " + id);
    return cloner.cloneAll(visible(id), request, ids);
  }

  @Override
  public List<ForkResult> fork(String id, CloneRequest request, IdListener ids) {
    space.require("fork " + id);
    return cloner.fork(visible(id), request, ids);
  }

  @Override
  public Sandbox pause(String id, boolean keepMemory, @Nullable String memoryMode) {
    LiveSandbox live = visible(id);
    space.require("pause " + id);
    changes.pauses().pause(live, keepMemory, memoryMode, record -> true);
    return views.sandbox(live);
  }

  @Override
  public Sandbox resume(String id, @Nullable Timeout timeout, boolean useMemory) {
    LiveSandbox live = visible(id);
    changes.resumes().resume(live, timeout, useMemory);
    return views.sandbox(live);
  }

  @Override
  public Sandbox restart(String id) {
    LiveSandbox live = visible(id);
    changes.restarts().restart(live);
    return views.sandbox(live);
  }

  @Override
  public Sandbox setLabel(String id, LabelChange change) {
    LiveSandbox live = visible(id);
    changes.labels().set(live, change);
    return views.sandbox(live);
  }

  @Override
  public InetSocketAddress endpoint(String id, int guestPort) {
    GuestAccess.checkPort(guestPort);
    return guests.endpoint(visible(id), guestPort);
  }

  @Override
  public Metrics metrics(String id) {
    return guests.metrics(visible(id));
  }

  @Override
  public MachineUsage usage(String id) {
    return guests.usage(visible(id));
  }

  @Override
  public Path console(String id) {
    return guests.console(visible(id));
  }

  @Override
  public @Nullable ProgramOutput programOutput(String id) {
    return guests.programOutput(visible(id));
  }

  private LiveSandbox visible(String id) {
    LiveSandbox live = sandboxes.get(id);
    SandboxRecord record = live.saved();
    if (record.hidden()) {
      throw new RametException(ErrorCode.NOT_FOUND, "sandbox not found: " + id);
    }
    return live;
  }
}
