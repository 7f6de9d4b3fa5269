// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.support.Reference;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots whose instant is captured but whose files are still being written, and those that
 * failed since the engine was opened. Only this process knows them: after a crash nothing is left
 * of them. Thread-safe.
 */
public final class PendingSnapshots {
  private static final int MAX_FAILURES = 100;

  private final Map<String, Entry> byId = new LinkedHashMap<>();

  public PendingSnapshots() {}

  /**
   * A pending or failed snapshot.
   *
   * @param id its id
   * @param request the request
   * @param sandbox the sandbox it is taken of
   * @param instant the instant it holds
   * @param ended completes with null when it is durable and its sandbox is free again, or with the
   *     error it failed with
   */
  public record Entry(
      String id,
      NewSnapshot request,
      SandboxRecord sandbox,
      Instant instant,
      CompletableFuture<@Nullable RametException> ended) {
    /** Returns its name and tags once it is ready; null for none. */
    public @Nullable TaggedName version() {
      return TaggedName.ofNullable("name", request.name());
    }

    /** Returns the error it failed with; null while it is being written. */
    public @Nullable RametException failure() {
      return ended.getNow(null);
    }
  }

  public synchronized Entry add(
      String id, NewSnapshot request, SandboxRecord sandbox, Instant instant) {
    Entry entry = new Entry(id, request, sandbox, instant, new CompletableFuture<>());
    byId.put(id, entry);
    return entry;
  }

  /** Removes an entry after its snapshot was published to the store. */
  public void remove(Entry entry) {
    synchronized (this) {
      byId.remove(entry.id());
    }
    entry.ended().complete(null);
  }

  /** Records that a snapshot failed. The oldest failures are dropped. */
  public void failed(Entry entry, RametException failure) {
    entry.ended().complete(failure);
    synchronized (this) {
      List<Entry> failures = byId.values().stream().filter(e -> e.failure() != null).toList();
      for (int i = 0; i < failures.size() - MAX_FAILURES; i++) {
        byId.remove(failures.get(i).id());
      }
    }
  }

  public synchronized Collection<Entry> all() {
    return List.copyOf(byId.values());
  }

  /** Returns the entry that a reference means, or null. A name means the newest of that name. */
  public synchronized @Nullable Entry find(String idOrName) {
    Reference reference = Reference.parse(idOrName);
    Entry found = byId.get(reference.base());
    if (found != null && (reference.tag() == null || found.version() == null)) {
      return found;
    }
    Entry named = null;
    for (Entry entry : byId.values()) {
      if (reference.matches(entry.version())) {
        named = entry;
      }
    }
    return named;
  }

  /** Removes a failed entry. */
  public synchronized void removeFailed(Entry entry) {
    if (entry.failure() != null) {
      byId.remove(entry.id());
    }
  }

  /** Returns the error for using an entry's snapshot before it is ready. */
  public RametException refusal(Entry entry) {
    RametException failure = entry.failure();
    return failure == null
        ? new RametException(
            ErrorCode.CONFLICT,
            "snapshot " + entry.id() + " is still being written",
            "wait until it is ready",
            null)
        : new RametException(
            ErrorCode.CONFLICT,
            "snapshot " + entry.id() + " could not be written: " + failure.getMessage(),
            "take another snapshot",
            failure);
  }

  /** Waits until a snapshot is no longer being written; returns at once when it is unknown. */
  public void await(String idOrName, Duration timeout) {
    Entry entry = find(idOrName);
    if (entry == null) {
      return;
    }
    try {
      entry.ended().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new RametException(
          ErrorCode.DEADLINE_EXCEEDED, "snapshot " + entry.id() + " is still being written", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting", e);
    } catch (ExecutionException e) {
      throw new RametException(ErrorCode.INTERNAL, "waiting for a snapshot failed", e);
    }
  }
}
