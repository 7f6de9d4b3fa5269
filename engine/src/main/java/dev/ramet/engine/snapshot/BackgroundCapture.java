// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshot;

import dev.ramet.engine.Intents;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.Names;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.SandboxRecord;
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
 * Takes a snapshot for a caller that does not wait until it is written. The call returns when the
 * machine runs again; the rest happens on an engine thread, which holds the sandbox meanwhile. Used
 * by one thread, once.
 */
final class BackgroundCapture {
  private final Context context;
  private final Capturer capturer;
  private final NewSnapshot request;
  private final CompletableFuture<PendingSnapshots.Entry> resumed = new CompletableFuture<>();
  private volatile PendingSnapshots.@Nullable Entry entry;

  BackgroundCapture(Context context, Capturer capturer, NewSnapshot request) {
    this.context = context;
    this.capturer = capturer;
    this.request = request;
  }

  /**
   * Starts the capture and waits until the machine runs again.
   *
   * @throws RametException if anything fails before the machine runs again; then nothing is left
   */
  PendingSnapshots.Entry start(LiveSandbox live, Executor workers) {
    LiveSandbox.Hold hold = live.hold("snapshot");
    Names.Reservation reservation = () -> {};
    boolean handedOver = false;
    try {
      reservation = SnapshotOperations.reserve(context, request);
      SandboxRecord sandbox = context.sandboxes().get(live.id()).saved();
      Names.Reservation name = reservation;
      String id = Ids.next('s');
      Intents.tell(List.of(id));
      workers.execute(() -> run(id, live, sandbox, hold, name));
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
      throw Errors.any(
          "cannot snapshot " + live.id(),
          context.layout().root(),
          Objects.requireNonNullElse(e.getCause(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted; the snapshot goes on", e);
    }
  }

  private void run(
      String id,
      LiveSandbox live,
      SandboxRecord sandbox,
      LiveSandbox.Hold hold,
      Names.Reservation reservation) {
    Throwable failure = null;
    try (hold;
        reservation) {
      capturer.capture(
          live,
          Capturer.Order.of(id, request, sandbox.sourceId(), Durability.DURABLE),
          instant -> resumed(id, sandbox, instant));
    } catch (Throwable e) { // the caller waits for the outcome, whatever it is
      failure = e;
    }
    // Report only now that the sandbox is free and the name taken, so that a waiting caller can
    // continue at once.
    PendingSnapshots.Entry begun = entry;
    if (begun == null) {
      resumed.completeExceptionally(failure == null ? new IllegalStateException() : failure);
    } else if (failure == null) {
      context.writings().ended(begun);
    } else {
      context
          .writings()
          .failed(begun, Errors.any("cannot write " + id, context.layout().root(), failure));
    }
  }

  private void resumed(String id, SandboxRecord sandbox, Instant instant) {
    PendingSnapshots.Entry begun = context.writings().begin(id, request, sandbox, instant);
    entry = begun;
    resumed.complete(begun);
  }
}
