// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.machine.AlreadyPausedVm;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.pages.Fingerprint;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.pages.PagesWritten;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Remedies;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.tracking.ModeChain;
import dev.ramet.engine.tracking.TrackerSlot;
import dev.ramet.engine.workingset.WorkingSetFile;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to capture a machine in one memory mode: the preparation before the pause, the pause,
 * and the work after it. An attempt that fails leaves nothing behind. Used once, by one thread.
 */
final class CaptureAttempt {
  private final SnapshotTarget target;
  private final MemoryImages images;
  private final CopySlots turns;
  private final CopyPreparer ahead;
  private final WritebackErrors lost;
  private final SandboxRecord sandbox;
  private final RunningVm vm;
  private final CaptureOrder order;
  private final PausedSection pause;
  private final PhaseTimes phases;
  private final PreCopier preCopier;
  private final NodeId diskId;

  /**
   * Creates an attempt.
   *
   * @param target where the snapshot is written
   * @param turns limit how many captures copy at the same time
   * @param preCopier copies pages before the pause, for this attempt alone
   * @param pause measures all attempts of a capture together
   */
  CaptureAttempt(
      SnapshotTarget target,
      MemoryImages images,
      CopySlots turns,
      CopyPreparer ahead,
      WritebackErrors lost,
      PreCopier preCopier,
      Subject subject,
      PausedSection pause) {
    this.target = target;
    this.images = images;
    this.turns = turns;
    this.ahead = ahead;
    this.lost = lost;
    this.sandbox = subject.sandbox();
    this.vm = subject.vm();
    this.order = subject.order();
    this.pause = pause;
    this.phases = pause.phases;
    this.preCopier = preCopier;
    this.diskId = Layout.snapshotDisk(order.id());
  }

  /**
   * The machine to capture, and how to capture it.
   *
   * @param sandbox the sandbox, held by the caller
   * @param vm its machine, or a view of it that decides how it pauses
   * @param order the capture to make
   */
  record Subject(SandboxRecord sandbox, RunningVm vm, CaptureOrder order) {}

  /**
   * The source of the memory image.
   *
   * @param tracker selects the pages to read
   * @param base the snapshot whose memory image the pages overlay, or null for none
   * @param chain knows why this memory mode was chosen
   */
  record Source(TrackerSlot.Use tracker, SnapshotReclaimer.@Nullable Pin base, ModeChain chain) {
    String reason() {
      if (base == null) {
        return chain.reason("all memory");
      }
      String id = base.record().id();
      return chain.reason(
          tracker.baseline() == Baseline.PREVIOUS_CAPTURE
              ? "what changed since the previous capture, " + id
              : "what changed since the machine was restored from " + id);
    }
  }

  /**
   * Runs the attempt.
   *
   * @param resumed receives the captured instant once the machine runs again
   * @throws PausedSection.ModeUnfit if the memory mode cannot make this capture
   */
  SnapshotRecord capture(Source source, Consumer<Instant> resumed) throws PausedSection.ModeUnfit {
    try (Undo undo = new Undo()) {
      Path partial = makeDirectory(undo);
      CaptureReport.Replaced replaced =
          images.create(
              order,
              sandbox.machine().memoryBytes(),
              source.tracker().baseline(),
              source.base(),
              undo);
      phases.endPhase("prepare");
      PagesWritten written = copy(source, replaced, partial, undo, resumed);
      makeDurable();
      SnapshotRecord published = publish(source, replaced, written);
      undo.commit();
      return published;
    } catch (IOException e) {
      throw Errors.ioError("cannot snapshot " + sandbox.id(), target.root(), e);
    }
  }

  /** Creates the snapshot's directory with everything that is known before the pause. */
  private Path makeDirectory(Undo undo) throws IOException {
    SandboxRecord.Machine machine = sandbox.machine();
    Path partial = target.begin("snapshot", order.id(), undo);
    Files.createDirectories(Layout.devices(partial));
    MachineStarter.shareKernel(target.layout().machine(sandbox.id(), machine.number()), partial);
    String restored = machine.memoryBase();
    if (restored != null) {
      WorkingSetFile.inherit(target.layout().snapshot(restored), partial);
    }
    return partial;
  }

  /** Copies as much as possible while the machine runs, and the rest while it is paused. */
  private PagesWritten copy(
      Source source,
      CaptureReport.@Nullable Replaced replaced,
      Path partial,
      Undo undo,
      Consumer<Instant> resumed)
      throws PausedSection.ModeUnfit {
    PausedSection.Paths paths =
        PausedSection.Paths.create(sandbox.id(), sandbox.machine().number(), order.id(), partial);
    // Before the disk is flushed, so that the flush covers writes made during the wait.
    try (CopySlots.Turn turn = vm instanceof AlreadyPausedVm ? turns.noSlot() : turns.acquire()) {
      phases.endPhase("turn");
      target.before("snapshot.flush");
      lost.writeBack(sandbox);
      if (order.kind().machineContinues()) {
        ahead.beforePause(paths.liveDisk(), pause.log);
      }
      undo.add("disk of " + order.id(), () -> target.storage().delete(diskId));
      Attachment image = images.attach(order);
      SnapshotReclaimer.Pin fork = replaced == null ? source.base() : null;
      try (Fingerprint all = images.fingerprint(order, sandbox.machine().memoryBytes());
          PageCapture pages = images.open(image, source.tracker().baseline(), fork)) {
        phases.endPhase("prepare");
        preCopier.copy(vm, source.tracker(), pages);
        // Report errors here too: a copy made ahead may have been the first to see one.
        lost.writeBack(sandbox);
        source.tracker().noteDiskWrites();
        phases.endPhase("precopy");
        pause.read(vm, paths, source.tracker(), preCopier.located(), pages, all);
        resumed.accept(pause.instant());
        target.before("snapshot.write");
        PagesWritten written = pages.finish();
        turn.close();
        phases.endPhase("write");
        if (all != null) {
          all.compare(image.path());
          phases.endPhase("compare");
        }
        return written;
      }
    }
  }

  private void makeDurable() {
    images.seal(order);
    if (order.durability() == Durability.DURABLE) {
      target.storage().flush(diskId);
    }
    phases.endPhase("sync");
  }

  private SnapshotRecord publish(
      Source source, CaptureReport.@Nullable Replaced replaced, PagesWritten written)
      throws IOException {
    target.before("snapshot.publish");
    CaptureReport report =
        CaptureReport.builder()
            .mode(source.chain().current())
            .modeReason(source.reason())
            .passedOver(source.chain().passedOver())
            .memoryBytesTotal(sandbox.machine().memoryBytes())
            .memoryBytesSelected(written.selectedBytes())
            .memoryBytesWritten(written.writtenBytes())
            .memoryBytesHoles(written.holeBytes())
            .pauseNanos(pause.nanos())
            .totalNanos(phases.totalNanos())
            .phaseNanos(phases.nanos())
            .pausePhaseNanos(phases.pauseNanos())
            .precopyRounds(preCopier.rounds())
            .precopyBytes(preCopier.bytes())
            .replaced(replaced)
            .build();
    if (vm.exit().toCompletableFuture().isDone()) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "the machine of " + sandbox.id() + " ended while it was captured",
          Remedies.MACHINE_ENDED,
          null);
    }
    SnapshotRecord record = Capturer.record(sandbox, order, pause.instant(), vm.identity(), report);
    return target.snapshots().publish(record, order.durability() == Durability.DURABLE);
  }
}
