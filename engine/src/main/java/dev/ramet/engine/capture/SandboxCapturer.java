// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.agent.host.Agent;
import dev.ramet.engine.machine.GuestFreeze;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.RametException;
import java.time.Instant;

/**
 * Captures sandboxes in the way that suits them: a running machine with its memory or its disk
 * alone, or a paused sandbox from the snapshot that it resumes from. Thread-safe; the caller holds
 * the sandbox.
 */
public final class SandboxCapturer {
  private final Capturer machines;
  private final PausedCapturer paused;
  private final DiskCapturer disks;
  private final Agent agent;
  private final SnapshotReplacement replacement;

  public SandboxCapturer(
      Capturer machines,
      PausedCapturer paused,
      DiskCapturer disks,
      Agent agent,
      SnapshotReplacement replacement) {
    this.machines = machines;
    this.paused = paused;
    this.disks = disks;
    this.agent = agent;
    this.replacement = replacement;
  }

  /**
   * Captures a sandbox. If this fails, nothing of the attempt is left.
   *
   * @param memory whether to include the memory, if there is any
   */
  public SnapshotRecord capture(LiveSandbox live, CaptureOrder order, boolean memory) {
    SandboxRecord record = live.saved();
    if (memory && !PausedCapturer.isPaused(record)) {
      return machines.capture(live, order);
    }
    SnapshotRecord made =
        PausedCapturer.isPaused(record)
            ? paused.capture(record, order, memory)
            : captureDisk(live, order);
    replacement.deleteReplaced(order.replaces());
    return made;
  }

  private SnapshotRecord captureDisk(LiveSandbox live, CaptureOrder order) {
    SandboxRecord record = live.saved();
    if (order.memoryMode() != null || order.verify()) {
      throw RametException.invalid(
          "memory", "must be captured if a memory mode or verification is requested");
    }
    try (GuestFreeze files =
        new GuestFreeze(
            agent, record, live.answeringMachine(), "take the snapshot with its memory")) {
      return disks.capture(record, order, Instant.now(), files::thaw);
    }
  }
}
