// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import dev.ramet.api.operation.ApiError;
import dev.ramet.api.operation.OperationInfo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.OperationIds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An operation of the host: its progress from start to end. Thread-safe. */
public final class Operation {
  private static final long TELL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final String id = OperationIds.newId();
  private final String kind;
  private final String subject;
  private final boolean cancellable;
  private final Instant startedAt = Instant.now();
  private final long startNanos = System.nanoTime();
  private final List<Consumer<OperationInfo>> listeners = new ArrayList<>();

  private String state = "running";
  private @Nullable Instant endedAt;
  private @Nullable String step;
  private @Nullable Long doneBytes;
  private @Nullable Long totalBytes;
  private List<String> results = List.of();
  private @Nullable ApiError error;
  private boolean cancelled;
  private long tellAt = startNanos;

  Operation(String kind, String subject, boolean cancellable) {
    this.kind = kind;
    this.subject = subject;
    this.cancellable = cancellable;
  }

  /** Returns its id. */
  public String id() {
    return id;
  }

  /** Returns the kind of operation. */
  public String kind() {
    return kind;
  }

  String subject() {
    return subject;
  }

  /** Returns its duration so far, in nanoseconds. */
  long nanos() {
    return System.nanoTime() - startNanos;
  }

  /**
   * Begins a step.
   *
   * @throws RametException {@code CANCELLED} when the operation was cancelled
   */
  public void step(String description) {
    synchronized (this) {
      step = description;
      notifyListeners();
    }
    checkCancelled();
  }

  /**
   * Reports the bytes copied so far; listeners are notified a few times a second.
   *
   * @return false when the operation was cancelled
   */
  public synchronized boolean copied(long done, long total) {
    doneBytes = done;
    totalBytes = total;
    long now = System.nanoTime();
    if (now - tellAt >= 0 || done == total) {
      tellAt = now + TELL_NANOS;
      notifyListeners();
    }
    return !cancelled;
  }

  /** Throws if the operation was cancelled. */
  public synchronized void checkCancelled() {
    if (cancelled) {
      throw new RametException(ErrorCode.CANCELLED, "operation " + id + " was cancelled");
    }
  }

  /** Records the ids of the created objects. */
  public synchronized void recordCreated(List<String> ids) {
    results = List.copyOf(ids);
  }

  synchronized boolean running() {
    return endedAt == null;
  }

  synchronized void end(@Nullable ApiError failure) {
    boolean withdrawn = failure != null && failure.error().equals(ErrorCode.CANCELLED.name());
    state = failure == null ? "done" : withdrawn ? "cancelled" : "failed";
    error = failure;
    endedAt = Instant.now();
    notifyListeners();
    listeners.clear();
  }

  /**
   * Requests cancellation, which takes effect at the next step.
   *
   * @throws RametException {@code CONFLICT} when it has ended, or cannot be cancelled
   */
  synchronized void cancel() {
    if (!running()) {
      throw new RametException(
          ErrorCode.CONFLICT, "operation " + id + " has ended: it is " + state);
    }
    if (!cancellable) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "a " + kind + " cannot be cancelled",
          "wait until it ends, then delete its result",
          null);
    }
    cancelled = true;
  }

  /**
   * Notifies a listener of the current state, and of every change until the end. Listeners must be
   * quick.
   *
   * @return removes the listener
   */
  public synchronized Runnable listen(Consumer<OperationInfo> listener) {
    listener.accept(info());
    if (!running()) {
      return () -> {};
    }
    listeners.add(listener);
    return () -> {
      synchronized (this) {
        listeners.remove(listener);
      }
    };
  }

  private void notifyListeners() {
    if (!listeners.isEmpty()) {
      OperationInfo now = info();
      List.copyOf(listeners).forEach(listener -> listener.accept(now));
    }
  }

  /** Returns the current state. */
  public synchronized OperationInfo info() {
    return OperationInfo.builder()
        .operationID(id)
        .kind(kind)
        .subject(subject)
        .state(state)
        .startedAt(startedAt.toString())
        .endedAt(endedAt == null ? null : endedAt.toString())
        .step(step)
        .doneBytes(doneBytes)
        .totalBytes(totalBytes)
        .cancellable(cancellable && running())
        .results(results)
        .error(error)
        .build();
  }
}
