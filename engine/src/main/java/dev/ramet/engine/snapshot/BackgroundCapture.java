// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshot;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.capture.CaptureOrder;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotNames;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots for callers that do not wait until they are written. The call returns when the
 * machine runs again; the rest happens on an engine thread, which holds the sandbox meanwhile.
 * Thread-safe.
 */
public final class BackgroundCapture {
  private final SandboxStore sandboxes;
  private final SnapshotStore snapshots;
  private final PendingSnapshots writings;
  private final Capturer capturer;
  private final Executor workers;

  /**
   * Creates the background captures of a root.
   *
   * @param writings the snapshots that are still being written
   * @param workers finish the captures
   */
  public BackgroundCapture(
      SandboxStore sandboxes,
      SnapshotStore snapshots,
      PendingSnapshots writings,
      Capturer capturer,
      Executor workers) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.writings = writings;
    this.capturer = capturer;
    this.workers = workers;
  }

  /**
   * Starts the capture and waits until the machine runs again.
   *
   * @throws RametException if anything fails before the machine runs again; then nothing is left
   */
  PendingSnapshots.Entry start(LiveSandbox live, NewSnapshot request, IdListener ids) {
    LiveSandbox.Hold hold = live.acquire("snapshot");
    SnapshotNames.Reservation reservation = () -> {};
    CompletableFuture<PendingSnapshots.Entry> resumed;
    boolean handedOver = false;
    try {
      reservation = SnapshotCreator.reserve(snapshots, request);
      SandboxRecord sandbox = sandboxes.get(live.id()).saved();
      SnapshotNames.Reservation name = reservation;
      String id = Ids.newId('s');
      ids.assigning(List.of(id));
      Capture capture = new Capture(id, request, sandbox);
      resumed = capture.resumed;
      workers.execute(() -> capture.run(live, hold, name));
      handedOver = true;
    } finally {
      if (!handedOver) {
        reservation.close();
        hold.close();
      }
    }
    try {
      return resumed.get();
    } catch (ExecutionException e) {
      throw Errors.translate(
          "cannot snapshot " + live.id(),
          sandboxes.root(),
          Objects.requireNonNullElse(e.getCause(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted; the snapshot goes on", e);
    }
  }

  /** One capture, which a worker makes while the caller waits for the machine to run again. */
  private final class Capture {
    private final String id;
    private final NewSnapshot request;
    private final SandboxRecord sandbox;
    private final CompletableFuture<PendingSnapshots.Entry> resumed = new CompletableFuture<>();
    private volatile PendingSnapshots.@Nullable Entry entry;

    Capture(String id, NewSnapshot request, SandboxRecord sandbox) {
      this.id = id;
      this.request = request;
      this.sandbox = sandbox;
    }

    void run(LiveSandbox live, LiveSandbox.Hold hold, SnapshotNames.Reservation reservation) {
      Throwable failure = null;
      try (hold;
          reservation) {
        capturer.capture(
            live,
            CaptureOrder.forRequest(id, request, sandbox.sourceId(), Durability.DURABLE),
            this::resumed);
      } catch (Throwable e) { // the caller waits for the outcome, whatever it is
        failure = e;
      }
      // Report only now that the sandbox is free and the name taken, so that a waiting caller can
      // continue at once.
      PendingSnapshots.Entry begun = entry;
      if (begun == null) {
        resumed.completeExceptionally(failure == null ? new IllegalStateException() : failure);
      } else if (failure == null) {
        writings.remove(begun);
      } else {
        writings.failed(begun, Errors.translate("cannot write " + id, sandboxes.root(), failure));
      }
    }

    private void resumed(Instant instant) {
      PendingSnapshots.Entry begun = writings.add(id, request, sandbox, instant);
      entry = begun;
      resumed.complete(begun);
    }
  }
}
