// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.internal.Trees;
import dev.ramet.engine.internal.Undo;
import dev.ramet.engine.pages.Capture;
import dev.ramet.engine.pages.PagesWritten;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.SandboxRecord;
import dev.ramet.engine.store.SnapshotRecord;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Captures a running machine: disk, devices and memory at one instant.
 *
 * <p>Whatever can be done before the pause is done before it, and whatever can wait until the
 * machine runs again waits: in between only the devices are saved, the disk is cloned, and the
 * selected pages are read. Thread-safe; the caller holds the sandbox.
 */
final class Capturer {
  private final Context context;
  private final ExecutorService helpers;

  /**
   * Captures.
   *
   * @param helpers run what can be done beside something else; never refuses and never queues
   */
  Capturer(Context context, ExecutorService helpers) {
    this.context = context;
    this.helpers = helpers;
  }

  /**
   * What to capture, and as what.
   *
   * @param id the new snapshot's id
   * @param kind what it is for
   * @param name its name, or null
   * @param templateId what the sandbox was created from, or null
   * @param contentKey what a template was built from, or null
   * @param durability whether it must survive a loss of power
   */
  record Order(
      String id,
      SnapshotRecord.Kind kind,
      @Nullable String name,
      @Nullable String templateId,
      @Nullable String contentKey,
      Durability durability) {}

  /** The state of one capture under way. */
  private static final class Work {
    final Phases phases = new Phases();
    long pauseNanos;
    long selectedBytes;
    Instant instant = Instant.EPOCH;
  }

  /** Captures the machine. When this fails it runs on, and nothing is left of the attempt. */
  SnapshotRecord capture(SandboxRecord sandbox, RunningVm vm, Order order) {
    StorageBackend storage = context.storage();
    NodeId diskId = Layout.snapshotDisk(order.id());
    NodeId memoryId = Layout.snapshotMemory(order.id());
    Path partial = context.layout().partialSnapshot(order.id());
    Work work = new Work();
    try (Undo undo = new Undo()) {
      context.before("snapshot.directory");
      undo.add("directory of " + order.id(), () -> Trees.delete(partial));
      Files.createDirectories(Layout.devices(partial));
      Starter.shareKernel(
          context.layout().machine(sandbox.id(), sandbox.machine().number()), partial);

      context.before("snapshot.memory");
      MemoryModes.Choice choice = context.modes().choose(sandbox.machine(), context.snapshots());
      undo.add("memory image of " + order.id(), () -> storage.delete(memoryId));
      SnapshotRecord base = choice.base();
      if (base == null) {
        storage.create(memoryId, sandbox.machine().memoryBytes());
      } else {
        storage.fork(Layout.snapshotMemory(base.id()), memoryId, Durability.RELAXED);
      }
      context.before("snapshot.flush");
      NodeId live = Layout.machineDisk(sandbox.id(), sandbox.machine().number());
      storage.flush(live);
      undo.add("disk of " + order.id(), () -> storage.delete(diskId));
      Attachment image = storage.attach(memoryId);
      PagesWritten written;
      try (MemoryTracker tracker = choice.mode().attach(vm.memory());
          Capture pages = context.pages().open(image, tracker.baseline())) {
        work.phases.ended("prepare");
        readWhilePaused(vm, new Paths(live, diskId, partial), tracker, pages, work);
        context.before("snapshot.write");
        written = pages.finish();
      }
      work.phases.ended("write");
      context.before("snapshot.seal");
      storage.seal(memoryId, order.durability());
      if (order.durability() == Durability.DURABLE) {
        storage.flush(diskId);
      }
      work.phases.ended("sync");

      context.before("snapshot.publish");
      CaptureReport report =
          new CaptureReport(
              choice.id(),
              choice.reason(),
              sandbox.machine().memoryBytes(),
              work.selectedBytes,
              written.writtenBytes(),
              written.holeBytes(),
              work.pauseNanos,
              work.phases.total(),
              work.phases.nanos());
      SnapshotRecord record = record(sandbox, vm, order, work.instant, report);
      context.snapshots().publish(record, order.durability() == Durability.DURABLE);
      undo.commit();
      return record;
    } catch (IOException e) {
      throw Errors.io("cannot snapshot " + sandbox.id(), context.layout().root(), e);
    }
  }

  private record Paths(NodeId liveDisk, NodeId snapshotDisk, Path partial) {}

  private void readWhilePaused(
      RunningVm vm, Paths paths, MemoryTracker tracker, Capture pages, Work work) {
    Phases phases = work.phases;
    context.before("snapshot.pause");
    long start = System.nanoTime();
    try (PausedVm paused = vm.pause()) {
      work.instant = Instant.now();
      phases.ended("stop");
      // The hypervisor saves its devices while this side clones the disk, which stands still since
      // the stop, and looks up where guest memory is, which saving does not move.
      Future<GuestMemory> beside = helpers.submit(() -> cloneDisk(paused, paths));
      try {
        context.before("snapshot.devices");
        paused.saveDevices(Layout.devices(paths.partial()));
        phases.ended("devices");
      } finally {
        awaitEnd(beside);
      }
      GuestMemory memory = result(beside);
      phases.ended("disk");
      // Only now: saving the devices may have written guest memory.
      context.before("snapshot.select");
      PageRanges ranges = tracker.select(memory);
      work.selectedBytes = ranges.copyBytes() + ranges.zeroBytes();
      phases.ended("select");
      context.before("snapshot.read");
      pages.readWhilePaused(memory.pid(), ranges);
      tracker.committed();
      phases.ended("read");
      context.before("snapshot.resume");
      paused.resume();
      work.pauseNanos = System.nanoTime() - start;
      phases.ended("resume");
    }
  }

  private GuestMemory cloneDisk(PausedVm paused, Paths paths) {
    context.before("snapshot.disk");
    context.storage().snapshot(paths.liveDisk(), paths.snapshotDisk(), Durability.RELAXED);
    return paused.memory();
  }

  /** Nothing may be undone, and the machine may not run, while the other side is still at work. */
  private static void awaitEnd(Future<?> work) {
    boolean interrupted = false;
    while (!work.isDone()) {
      try {
        work.get();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        break; // Told by whoever asks for the result.
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private GuestMemory result(Future<GuestMemory> work) {
    try {
      return work.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new RametException(ErrorCode.INTERNAL, "cannot clone the disk", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted during a capture", e);
    }
  }

  private SnapshotRecord record(
      SandboxRecord sandbox, RunningVm vm, Order order, Instant instant, CaptureReport report) {
    SandboxRecord.Machine machine = sandbox.machine();
    if (vm.exit().toCompletableFuture().isDone()) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "the machine of " + sandbox.id() + " ended while it was captured");
    }
    return new SnapshotRecord(
        order.id(),
        order.kind(),
        order.name(),
        instant,
        sandbox.id(),
        order.templateId(),
        machine.cpuCount(),
        machine.memoryBytes(),
        sandbox.diskBytes(),
        machine.kernelArguments(),
        sandbox.agentPort(),
        true,
        vm.identity(),
        report,
        order.contentKey(),
        false,
        order.kind() == SnapshotRecord.Kind.CLONE_BASE);
  }
}
