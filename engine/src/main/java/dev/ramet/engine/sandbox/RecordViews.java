// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.Shape;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.templates.Template;
import dev.ramet.engine.workingset.WorkingSet;
import dev.ramet.engine.workingset.WorkingSetFile;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Converts manifests to the records that callers see. Thread-safe. */
public final class RecordViews {
  private final Layout layout;
  private final StorageBackend storage;
  private final SnapshotReclaimer reclaimer;

  public RecordViews(Layout layout, StorageBackend storage, SnapshotReclaimer reclaimer) {
    this.layout = layout;
    this.storage = storage;
    this.reclaimer = reclaimer;
  }

  private static @Nullable String detail(LiveSandbox live, SandboxRecord record) {
    if (record.state() == SandboxRecord.State.KILLED) {
      return live.isHeld() ? "it is being removed" : "its removal did not finish; kill it again";
    }
    return record.detail() == null ? live.silence() : record.detail();
  }

  Sandbox sandbox(LiveSandbox live) {
    SandboxRecord record = live.saved();
    RunningVm vm = live.machine();
    return new Sandbox(
        record.id(),
        new Sandbox.Status(
            switch (record.state()) {
              case CREATING -> Sandbox.State.CREATING;
              case RUNNING -> Sandbox.State.RUNNING;
              case PAUSED -> Sandbox.State.PAUSED;
              case FAILED, KILLED -> Sandbox.State.FAILED;
            },
            detail(live, record),
            vm == null ? null : vm.pid(),
            live.standstill()),
        new Sandbox.Origin(record.sourceId(), record.sourceName(), record.parentId()),
        new Shape(record.machine().cpuCount(), record.machine().memoryBytes(), record.diskBytes()),
        record.label(),
        new Sandbox.Lifetime(record.startedAt(), record.endAt()),
        record.memoryMode(),
        new Sandbox.Access(
            record.outbound(),
            record.terms().rules(),
            record.terms().accessToken(),
            record.terms().trafficToken(),
            record.agentPort() == null
                ? Sandbox.Agent.NONE
                : record.machine().hostSecret() == null
                    ? Sandbox.Agent.UNAUTHENTICATED
                    : Sandbox.Agent.AUTHENTICATED));
  }

  public Snapshot snapshot(SnapshotRecord record) {
    return snapshot(record, this::exclusiveBytes);
  }

  /**
   * Returns a sandbox's last snapshot with its exclusive bytes as last counted, because counting
   * reads every extent of its images.
   */
  public Snapshot lastSnapshot(LiveSandbox live, SnapshotRecord record) {
    LiveSandbox.SizeCount counted = live.lastCount();
    if (counted == null || !counted.snapshotId().equals(record.id())) {
      counted = new LiveSandbox.SizeCount(record.id(), exclusiveBytes(record));
      live.setLastCount(counted);
    }
    long bytes = counted.exclusiveBytes();
    return snapshot(record, same -> bytes);
  }

  private Snapshot snapshot(SnapshotRecord record, ToLongFunction<SnapshotRecord> exclusiveBytes) {
    String broken = damageReason(record);
    return new Snapshot(
        record.id(),
        new Snapshot.Label(
            record.name(), List.copyOf(record.tags().keySet()), record.description()),
        new Snapshot.Condition(
            broken == null ? Snapshot.Status.READY : Snapshot.Status.BROKEN, broken),
        new Snapshot.Origin(record.sandboxId(), record.templateId()),
        record.createdAt(),
        new Shape(record.cpuCount(), record.memoryBytes(), record.diskBytes()),
        new Snapshot.Usage(
            broken == null ? exclusiveBytes.applyAsLong(record) : 0, reclaimer.users(record.id())),
        new Snapshot.Memory(workingSet(record), record.capture()));
  }

  public Snapshot snapshot(PendingSnapshots.Entry writing) {
    RametException failure = writing.failure();
    SandboxRecord sandbox = writing.sandbox();
    TaggedName version = writing.version();
    return new Snapshot(
        writing.id(),
        new Snapshot.Label(
            version == null ? null : version.alias(),
            // The snapshot gets the tags when it is ready; until then another may have them.
            List.of(),
            writing.request().description()),
        new Snapshot.Condition(
            failure == null ? Snapshot.Status.WRITING : Snapshot.Status.FAILED,
            failure == null ? null : failure.getMessage()),
        new Snapshot.Origin(sandbox.id(), sandbox.sourceId()),
        writing.instant(),
        new Shape(
            sandbox.machine().cpuCount(), sandbox.machine().memoryBytes(), sandbox.diskBytes()),
        new Snapshot.Usage(0, List.of()),
        new Snapshot.Memory(null, null));
  }

  private Snapshot.@Nullable WorkingSet workingSet(SnapshotRecord record) {
    try {
      WorkingSet set = WorkingSetFile.read(layout.snapshot(record.id()), record.memoryBytes());
      return set == null
          ? null
          : new Snapshot.WorkingSet(set.snapshotId(), set.pages(), set.bytes(), set.whole());
    } catch (IOException e) {
      return null; // the next restore records it again, and logs the cause
    }
  }

  public Template template(SnapshotRecord record, long buildNanos) {
    String broken = damageReason(record);
    String name = record.name();
    return new Template(
        record.id(),
        name == null ? record.id() : name,
        List.copyOf(record.tags().keySet()),
        new Snapshot.Condition(
            broken == null ? Snapshot.Status.READY : Snapshot.Status.BROKEN, broken),
        record.warm(),
        new Shape(record.cpuCount(), record.memoryBytes(), record.diskBytes()),
        broken == null ? exclusiveBytes(record) : 0,
        new Template.Build(record.createdAt(), record.contentKey(), buildNanos));
  }

  private @Nullable String damageReason(SnapshotRecord record) {
    if (storage.find(Layout.snapshotDisk(record.id())).isEmpty()) {
      return "its disk is gone";
    }
    if (record.warm() && storage.find(Layout.snapshotMemory(record.id())).isEmpty()) {
      return "its memory image is gone";
    }
    return null;
  }

  private long exclusiveBytes(SnapshotRecord record) {
    try {
      long bytes = storage.usage(Layout.snapshotDisk(record.id())).exclusiveBytes();
      return record.warm()
          ? bytes + storage.usage(Layout.snapshotMemory(record.id())).exclusiveBytes()
          : bytes;
    } catch (RametException e) {
      // The snapshot was deleted meanwhile.
      return 0;
    }
  }
}
