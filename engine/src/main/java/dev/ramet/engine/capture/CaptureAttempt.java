// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.machine.AlreadyPausedVm;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.pages.Fingerprint;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.pages.PagesWritten;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Remedies;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.tracking.ModeChain;
import dev.ramet.engine.tracking.Tracking;
import dev.ramet.engine.workingset.WorkingSetFile;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
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
  private static final System.Logger LOG = System.getLogger(CaptureAttempt.class.getName());

  private final Context context;
  private final StorageBackend storage;
  private final CopySlots turns;
  private final CopyPreparer ahead;
  private final WritebackErrors lost;
  private final Replacement replacement;
  private final SandboxRecord sandbox;
  private final RunningVm vm;
  private final Capturer.Order order;
  private final PausedSection pause;
  private final Phases phases;
  private final PreCopier preCopier;
  private final NodeId diskId;
  private final NodeId memoryId;

  /**
   * Creates an attempt.
   *
   * @param vm the machine, or a view of it that decides how it pauses
   * @param pause measures all attempts of a capture together
   */
  CaptureAttempt(
      Context context,
      CopySlots turns,
      CopyPreparer ahead,
      WritebackErrors lost,
      Replacement replacement,
      SandboxRecord sandbox,
      RunningVm vm,
      Capturer.Order order,
      PausedSection pause) {
    this.context = context;
    this.storage = context.storage();
    this.turns = turns;
    this.ahead = ahead;
    this.lost = lost;
    this.replacement = replacement;
    this.sandbox = sandbox;
    this.vm = vm;
    this.order = order;
    this.pause = pause;
    this.phases = pause.phases;
    this.preCopier = new PreCopier(context.config().preCopy(), context.config().steps());
    this.diskId = Layout.snapshotDisk(order.id());
    this.memoryId = Layout.snapshotMemory(order.id());
  }

  /**
   * The source of the memory image.
   *
   * @param tracker selects the pages to read
   * @param base the snapshot whose memory image the pages overlay, or null for none
   * @param chain knows why this memory mode was chosen
   */
  record Source(Tracking.Use tracker, SnapshotReclaimer.@Nullable Pin base, ModeChain chain) {
    String reason() {
      if (base == null) {
        return chain.reason("all of the memory");
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
      CaptureReport.Replaced replaced = makeMemoryImage(source, undo);
      phases.ended("prepare");
      PagesWritten written = copy(source, replaced, partial, undo, resumed);
      makeDurable();
      SnapshotRecord published = publish(source, replaced, written);
      undo.commit();
      return published;
    } catch (IOException e) {
      throw Errors.io("cannot snapshot " + sandbox.id(), context.layout().root(), e);
    }
  }

  /** Creates the snapshot's directory with everything that is known before the pause. */
  private Path makeDirectory(Undo undo) throws IOException {
    SandboxRecord.Machine machine = sandbox.machine();
    context.before("snapshot.directory");
    undo.add("directory of " + order.id(), () -> context.snapshots().abandon(order.id()));
    Path partial = context.snapshots().begin(order.id());
    Files.createDirectories(Layout.devices(partial));
    MachineStarter.shareKernel(context.layout().machine(sandbox.id(), machine.number()), partial);
    String restored = machine.memoryBase();
    if (restored != null) {
      WorkingSetFile.inherit(context.layout().snapshot(restored), partial);
    }
    return partial;
  }

  /**
   * Creates the image that pages are written to: a fork of the base's image, an image of zeros, or
   * the image of the replaced snapshot.
   *
   * @return how the replaced snapshot's image was used, or null if nothing is replaced
   */
  private CaptureReport.@Nullable Replaced makeMemoryImage(Source source, Undo undo) {
    context.before("snapshot.memory");
    undo.add("memory image of " + order.id(), () -> storage.delete(memoryId));
    SnapshotReclaimer.Pin base = source.base();
    CaptureReport.Replaced replaced =
        replacement.takeOver(order, source.tracker().baseline(), base);
    if (replaced != null && replaced.inPlace()) {
      LOG.log(System.Logger.Level.INFO, "{0} is written over {1}", memoryId, replaced);
    } else if (base == null) {
      storage.create(memoryId, sandbox.machine().memoryBytes(), Durability.RELAXED);
    } else {
      storage.fork(Layout.snapshotMemory(base.record().id()), memoryId, Durability.RELAXED);
    }
    return replaced;
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
        PausedSection.Paths.of(sandbox.id(), sandbox.machine().number(), order.id(), partial);
    // Before the disk is flushed, so that the flush covers writes made during the wait.
    try (CopySlots.Turn turn = vm instanceof AlreadyPausedVm ? turns.none() : turns.take()) {
      phases.ended("turn");
      context.before("snapshot.flush");
      lost.writeBack(sandbox);
      if (order.kind().machineGoesOn()) {
        ahead.beforePause(paths.liveDisk(), pause.log);
      }
      undo.add("disk of " + order.id(), () -> storage.delete(diskId));
      Attachment image = storage.attach(memoryId);
      Path equal = equalFile(image, source.base(), replaced);
      try (Fingerprint all = fingerprint();
          PageCapture pages = context.pages().open(image, source.tracker().baseline(), equal)) {
        phases.ended("prepare");
        preCopier.copy(vm, source.tracker(), pages);
        // Report errors here too: a copy made ahead may have been the first to see one.
        lost.writeBack(sandbox);
        source.tracker().noteDiskWrites();
        phases.ended("precopy");
        pause.read(vm, paths, source.tracker(), preCopier.located(), pages, all);
        resumed.accept(pause.instant());
        context.before("snapshot.write");
        PagesWritten written = pages.finish();
        turn.close();
        phases.ended("write");
        if (all != null) {
          all.compare(image.path());
          phases.ended("compare");
        }
        return written;
      }
    }
  }

  /**
   * Returns the file that a fresh image equals byte for byte, or null. Where images are block
   * devices it returns null: attaching the base could create a device, only to save a few pages.
   */
  private @Nullable Path equalFile(
      Attachment image,
      SnapshotReclaimer.@Nullable Pin base,
      CaptureReport.@Nullable Replaced replaced) {
    if (base == null || replaced != null || image.kind() != Attachment.Kind.FILE) {
      return null;
    }
    Attachment equal = storage.attach(Layout.snapshotMemory(base.record().id()));
    return equal.kind() == Attachment.Kind.FILE ? equal.path() : null;
  }

  private @Nullable Fingerprint fingerprint() {
    boolean wanted = order.verify() || context.config().verifyCaptures();
    return wanted ? new Fingerprint(sandbox.machine().memoryBytes()) : null;
  }

  private void makeDurable() {
    context.before("snapshot.seal");
    storage.seal(memoryId, order.durability());
    if (order.durability() == Durability.DURABLE) {
      storage.flush(diskId);
    }
    phases.ended("sync");
  }

  private SnapshotRecord publish(
      Source source, CaptureReport.@Nullable Replaced replaced, PagesWritten written)
      throws IOException {
    context.before("snapshot.publish");
    CaptureReport report =
        new CaptureReport(
            source.chain().current(),
            source.reason(),
            source.chain().passedOver(),
            sandbox.machine().memoryBytes(),
            written.selectedBytes(),
            written.writtenBytes(),
            written.holeBytes(),
            pause.nanos(),
            phases.total(),
            phases.nanos(),
            phases.pauseNanos(),
            preCopier.rounds(),
            preCopier.bytes(),
            replaced);
    if (vm.exit().toCompletableFuture().isDone()) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "the machine of " + sandbox.id() + " ended while it was captured",
          Remedies.MACHINE_ENDED,
          null);
    }
    SnapshotRecord record = Capturer.record(sandbox, order, pause.instant(), vm.identity(), report);
    return context.snapshots().publish(record, order.durability() == Durability.DURABLE);
  }
}
