// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import dev.ramet.api.operation.ApiError;
import dev.ramet.engine.Metric;
import dev.ramet.errors.RametException;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations of this host since it was started: the running ones, and the last thousand that
 * ended. The start and the end of each are logged. Thread-safe.
 */
@Singleton
public final class OperationRegistry {
  static final int MAX_ENDED = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(OperationRegistry.class);

  private final Map<String, Operation> byId = new LinkedHashMap<>();
  private final OperationMetrics metrics = new OperationMetrics();

  OperationRegistry() {}

  /**
   * Begins an operation.
   *
   * @param kind kind of operation, such as {@code sandbox.clone}
   * @param subject id or name of the object it works on
   * @param cancellable whether it can be cancelled
   */
  public Operation begin(String kind, String subject, boolean cancellable) {
    Operation begun = new Operation(kind, subject, cancellable);
    synchronized (this) {
      byId.put(begun.id(), begun);
    }
    LOG.info("operation={} kind={} subject={} state=running", begun.id(), kind, subject);
    return begun;
  }

  /** Ends an operation; null means success. */
  void end(Operation operation, @Nullable ApiError failure) {
    operation.end(failure);
    long nanos = operation.nanos();
    String outcome = failure == null ? "OK" : failure.error();
    metrics.add(operation.kind(), outcome, nanos);
    LOG.info(
        "operation={} kind={} subject={} state={} outcome={} ms={}",
        operation.id(),
        operation.kind(),
        operation.subject(),
        operation.info().state(),
        outcome,
        nanos / 1_000_000);
    synchronized (this) {
      int ended = 0;
      for (Operation one : byId.values()) {
        ended += one.running() ? 0 : 1;
      }
      Iterator<Operation> oldest = byId.values().iterator();
      while (ended > MAX_ENDED) {
        if (!oldest.next().running()) {
          oldest.remove();
          ended--;
        }
      }
    }
  }

  /**
   * Returns the operation with this id.
   *
   * @throws RametException {@code NOT_FOUND} when there is none, or it ended long ago
   */
  public synchronized Operation get(String id) {
    Operation found = byId.get(id);
    if (found == null) {
      throw RametException.notFound("operation", id);
    }
    return found;
  }

  /** Returns all known operations, newest first. */
  public synchronized List<Operation> list() {
    List<Operation> all = new ArrayList<>(byId.values());
    java.util.Collections.reverse(all);
    return all;
  }

  /** Cancels an operation. */
  public void cancel(String id) {
    Operation operation = get(id);
    operation.cancel();
    LOG.info("operation={} kind={} state=cancelling", operation.id(), operation.kind());
  }

  /** Returns number and durations of all operations, for Prometheus. */
  public Metric metric() {
    return metrics.metric();
  }
}
