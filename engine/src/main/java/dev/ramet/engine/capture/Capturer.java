// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.tracking.ModeChain;
import dev.ramet.engine.tracking.TrackerSlot;
import dev.ramet.engine.tracking.TrackingGap;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.settings.Settings;
import dev.ramet.spi.storage.WriteLog;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Captures a running machine: disk, device state and memory at one instant.
 *
 * <p>As much work as possible happens before the pause or after it. During the pause only the
 * devices are saved, the disk is cloned, and pages are read. Most pages are copied before the pause
 * if the memory mode can track a running machine. Thread-safe; the caller holds the sandbox.
 */
public final class Capturer {
  private static final System.Logger LOG = System.getLogger(Capturer.class.getName());

  /** Error codes of a memory mode that cannot track a machine. Any other code is a failure. */
  private static final Set<ErrorCode> REFUSALS =
      EnumSet.of(ErrorCode.UNSUPPORTED, ErrorCode.HOST_UNFIT, ErrorCode.CONFLICT);

  private final SnapshotTarget target;
  private final MemoryImages images;
  private final MemoryModes modes;
  private final Settings settings;
  private final CopyPreparer ahead;
  private final WritebackErrors lost;
  private final SnapshotReclaimer reclaimer;
  private final CaptureMetrics metrics;
  private final CopySlots turns = CopySlots.ofHost();

  /**
   * Creates the capturer of a root.
   *
   * @param target where snapshots are written
   * @param images makes their memory images
   * @param modes the memory modes that work here
   * @param settings have the bounds of copying before a pause
   * @param ahead has storage prepare the copies of later captures
   * @param lost remembers writes that the host could not make
   */
  public Capturer(
      SnapshotTarget target,
      MemoryImages images,
      MemoryModes modes,
      Settings settings,
      CopyPreparer ahead,
      WritebackErrors lost,
      SnapshotReclaimer reclaimer,
      CaptureMetrics metrics) {
    this.target = target;
    this.images = images;
    this.modes = modes;
    this.settings = settings;
    this.ahead = ahead;
    this.lost = lost;
    this.reclaimer = reclaimer;
    this.metrics = metrics;
  }

  /**
   * Captures the machine in the best memory mode that can. If this fails, the machine runs on and
   * nothing of the attempt is left.
   *
   * @param resumed receives the captured instant once the machine runs again
   * @throws RametException {@code UNSUPPORTED} if a forced memory mode cannot make the capture
   */
  public SnapshotRecord capture(LiveSandbox live, CaptureOrder order, Consumer<Instant> resumed) {
    return capture(live, order, live.runningMachine(), resumed);
  }

  /**
   * Captures the machine through a view of it that decides how it pauses. Otherwise like {@link
   * #capture(LiveSandbox, CaptureOrder, Consumer)}.
   */
  public SnapshotRecord capture(
      LiveSandbox live, CaptureOrder order, RunningVm pausing, Consumer<Instant> resumed) {
    try {
      SnapshotRecord made = captureWithFallback(live, order, pausing, resumed);
      images.giveUpReplaced(order);
      CaptureReport report = made.capture();
      if (report != null) {
        metrics.recordCapture(made.kind(), report);
        log(made, report);
      }
      return made;
    } catch (RametException e) {
      metrics.recordFailure(e.code());
      throw e;
    } catch (RuntimeException e) {
      metrics.recordFailure(ErrorCode.INTERNAL);
      throw e;
    }
  }

  private static void log(SnapshotRecord made, CaptureReport report) {
    LOG.log(
        System.Logger.Level.INFO,
        "captured {0} as {1}: paused {2} us, selected {3}, wrote {4}; {5}: {6}",
        made.sandboxId(),
        made.id(),
        String.valueOf(report.pauseNanos() / 1000),
        String.valueOf(report.memoryBytesSelected()),
        String.valueOf(report.memoryBytesWritten()),
        report.mode(),
        report.modeReason());
  }

  /** Captures the machine for a caller that waits for the whole capture. */
  public SnapshotRecord capture(LiveSandbox live, CaptureOrder order) {
    return capture(live, order, instant -> {});
  }

  private SnapshotRecord captureWithFallback(
      LiveSandbox live, CaptureOrder order, RunningVm pausing, Consumer<Instant> resumed) {
    SandboxRecord sandbox = live.saved();
    RunningVm vm = live.runningMachine();
    String restored = sandbox.machine().memoryBase();
    ModeChain chain =
        order.kind() == SnapshotRecord.Kind.TEMPLATE
            ? modes.templateChain()
            : modes.chain(restored, order.memoryMode(), sandbox.memoryMode());
    PausedSection pause =
        new PausedSection(
            target.storage(), target.steps(), DiskWriteLogs.ofDisk(vm), images.memoryStable());
    target.before("snapshot.attach");
    CaptureAttempt.Subject subject = new CaptureAttempt.Subject(sandbox, pausing, order);
    while (true) {
      try (TrackerSlot.Use tracker = track(live, vm, chain)) {
        if (tracker == null) {
          continue;
        }
        ModeRefusal.Cause cause = ModeRefusal.Cause.BASE_GONE;
        try (SnapshotReclaimer.Pin base = pinBase(tracker, restored)) {
          cause = tracker.continued() ? ModeRefusal.Cause.TRACKING_LOST : ModeRefusal.Cause.REFUSED;
          SnapshotRecord made =
              new CaptureAttempt(
                      target,
                      images,
                      turns,
                      ahead,
                      lost,
                      new PreCopier(settings, target.steps()),
                      subject,
                      pause)
                  .capture(new CaptureAttempt.Source(tracker, base, chain), resumed);
          tracker.published(made.id());
          prepareNext(sandbox, made, tracker.nextBase(restored), pause.log);
          return made;
        } catch (PausedSection.ModeUnfit e) {
          String why = String.valueOf(e.failure.getMessage());
          tracker.markUnusable(cause, why);
          chain.rejectCurrent(why, cause, e.failure, tracker.continued());
        }
      }
    }
  }

  /**
   * Lets storage prepare the copies of the next capture, if there will be one.
   *
   * @param base the snapshot whose memory image the next capture overlays, or null for none
   * @param log the disk's write log
   */
  private void prepareNext(
      SandboxRecord sandbox, SnapshotRecord made, @Nullable String base, WriteLog log) {
    CaptureReport report = made.capture();
    if (made.kind().machineContinues() && report != null) {
      ahead.captured(
          sandbox.id(),
          made.kind() == SnapshotRecord.Kind.SNAPSHOT ? Layout.snapshotMemory(made.id()) : null,
          base == null ? null : Layout.snapshotMemory(base),
          Layout.machineDisk(sandbox.id(), sandbox.machine().number()),
          log,
          report.memoryBytesWritten());
    }
  }

  /** Returns a tracker of the chain's current mode, or null if it cannot track this machine. */
  private TrackerSlot.@Nullable Use track(LiveSandbox live, RunningVm vm, ModeChain chain) {
    String id = chain.current();
    try {
      TrackerSlot.Use tracker = live.tracking().takeForCapture(modes.requireMode(id), vm);
      TrackingGap gap = tracker.trackingGap();
      if (gap != null) {
        chain.recordGap(gap);
      }
      return tracker;
    } catch (RametException e) {
      if (!REFUSALS.contains(e.code())) {
        throw e;
      }
      chain.rejectCurrent(String.valueOf(e.getMessage()), ModeRefusal.Cause.REFUSED, e, false);
      return null;
    }
  }

  /** Pins the snapshot whose memory image is overlaid. Returns null if there is none. */
  private SnapshotReclaimer.@Nullable Pin pinBase(
      TrackerSlot.Use tracker, @Nullable String restored) throws PausedSection.ModeUnfit {
    boolean previous = tracker.baseline() == Baseline.PREVIOUS_CAPTURE;
    String id = previous ? tracker.previous() : restored;
    if (tracker.baseline() == Baseline.NONE) {
      return null;
    }
    SnapshotReclaimer.Pin pin = id == null ? null : reclaimer.pinIfThere(id);
    String what = previous ? "the previous capture (" : "the image it was restored from (";
    if (pin == null) {
      throw modeUnfit(what + id + ") is gone");
    }
    boolean whole = false;
    try {
      whole = lost.isIntact(pin.record());
    } finally {
      if (!whole) {
        pin.close();
      }
    }
    if (!whole) {
      throw modeUnfit(what + id + ") has lost writes");
    }
    return pin;
  }

  private static PausedSection.ModeUnfit modeUnfit(String why) {
    return new PausedSection.ModeUnfit(new RametException(ErrorCode.UNSUPPORTED, why));
  }

  /**
   * Creates the manifest of a capture.
   *
   * @param identity the machine whose memory was captured; null if only the disk was
   * @param report how the memory was captured; null if only the disk was
   */
  static SnapshotRecord record(
      SandboxRecord sandbox,
      CaptureOrder order,
      Instant instant,
      @Nullable VmIdentity identity,
      @Nullable CaptureReport report) {
    SandboxRecord.Machine machine = sandbox.machine();
    TaggedName version = order.version();
    return SnapshotRecord.builder()
        .id(order.id())
        .kind(order.kind())
        .name(version == null ? null : version.alias())
        .tags(version == null ? Map.of() : version.assigned(instant))
        .description(order.description())
        .createdAt(instant)
        .sandboxId(sandbox.id())
        .machine(machine.number())
        .templateId(order.templateId())
        .cpuCount(machine.cpuCount())
        .memoryBytes(machine.memoryBytes())
        .diskBytes(sandbox.diskBytes())
        .kernelArguments(machine.kernelArguments())
        .agentPort(sandbox.agentPort())
        .warm(identity != null)
        .identity(identity)
        .capture(report)
        .contentKey(order.contentKey())
        .deleted(false)
        .pending(order.kind().hidden())
        .hostSecret(identity == null ? null : machine.hostSecret())
        .build();
  }
}
