// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.metrics.Counter;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.ImageCompaction;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.WriteLog;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets storage prepare the copies that the next capture of a machine would otherwise wait for. The
 * time of a copy grows with the number of extents of its source, and that number grows with every
 * generation. So one thread makes the next capture's copy after the last capture, with rests, and
 * right before the pause the copy of the disk is brought up to date with its writes. Images with
 * many extents are first partly rewritten to fewer; the bytes this adds are limited to a tenth of
 * those that captures of the sandbox wrote.
 *
 * <p>Nothing depends on this: work that is not done, or fails, only makes a later copy slower.
 * Thread-safe.
 */
public final class CopyPreparer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(CopyPreparer.class.getName());

  /** Share of the time that the thread works. */
  private static final double SHARE = 0.25;

  /** Bytes that compaction may add, as a share of those that captures wrote. */
  private static final double ADDED_SHARE = 0.1;

  private static final long MAX_CREDIT_BYTES = 256L << 20;
  private static final int MAX_SANDBOXES = 256;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final double NANOS = 1e9;

  private final StorageBackend storage;
  private final FreeSpace space;
  private final Counter done;
  private final Counter seconds;
  private final Counter bytes;
  private final ExecutorService thread;
  private final Map<String, Sandbox> waiting = new LinkedHashMap<>();
  private final Map<String, Long> credits = new LinkedHashMap<>();

  /**
   * The pending work of a sandbox.
   *
   * @param fresh the memory image that a capture has just made and no process has mapped, or null
   * @param base the memory image that the next capture overlays, or null
   * @param disk the sandbox's disk
   * @param log the disk's write log
   */
  private record Sandbox(
      @Nullable NodeId fresh, @Nullable NodeId base, NodeId disk, WriteLog log) {}

  /**
   * Creates it.
   *
   * @param space nothing is prepared while its reserve is near: these copies take space
   */
  public CopyPreparer(StorageBackend storage, FreeSpace space, Registry registry) {
    this.storage = storage;
    this.space = space;
    this.done =
        registry.counter(
            "ramet_storage_ahead_total",
            "Work on storage ahead of captures: copies made in the background, copies brought up"
                + " to date before a pause, and memory images compacted.",
            "work",
            "outcome");
    this.seconds =
        registry.counter(
            "ramet_storage_ahead_seconds_total",
            "The time spent on that work, including its idle times in the background.",
            "work");
    this.bytes =
        registry.counter(
            "ramet_storage_compacted_bytes_total",
            "Bytes of memory images that compaction rewrote, and how much of that it added to the"
                + " space in use.",
            "what");
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1, 1, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), CopyPreparer::daemon);
    one.allowCoreThreadTimeOut(true);
    this.thread = one;
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "ramet-copies-ahead");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Brings the prepared copy of a disk up to date, right before its capture.
   *
   * @param log the disk's write log
   */
  void beforePause(NodeId disk, WriteLog log) {
    work("catch-up", disk, CopyPreparation.class, ahead -> prepare(ahead, disk, 1, log));
  }

  /**
   * Queues the work that follows a published capture. Does not wait.
   *
   * @param sandboxId the captured sandbox
   * @param fresh the memory image it made; null if machines start from it at once, because they
   *     would wait for the parts being replaced
   * @param base the memory image that the next capture overlays, or null
   * @param disk the sandbox's disk
   * @param log the disk's write log
   * @param writtenBytes how much the capture wrote to its image
   */
  void captured(
      String sandboxId,
      @Nullable NodeId fresh,
      @Nullable NodeId base,
      NodeId disk,
      WriteLog log,
      long writtenBytes) {
    synchronized (this) {
      long credit = (long) (writtenBytes * ADDED_SHARE);
      credits.merge(sandboxId, credit, (had, more) -> Math.min(MAX_CREDIT_BYTES, had + more));
      NodeId alone = Objects.equals(fresh, base) ? fresh : null;
      waiting.put(sandboxId, new Sandbox(alone, base, disk, log));
      trim(credits);
      trim(waiting);
    }
    try {
      thread.execute(this::prepareNext);
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "closed: no more copies are prepared");
    }
  }

  private static void trim(Map<String, ?> map) {
    if (map.size() > MAX_SANDBOXES) {
      map.remove(map.keySet().iterator().next());
    }
  }

  private void prepareNext() {
    String id;
    Sandbox sandbox;
    long credit;
    synchronized (this) {
      if (waiting.isEmpty()) {
        return; // two captures of one sandbox were queued, and only the later one matters
      }
      id = waiting.keySet().iterator().next();
      sandbox = waiting.remove(id);
      credit = credits.getOrDefault(id, 0L);
    }
    NodeId fresh = sandbox.fresh();
    if (fresh != null) {
      work("compaction", fresh, ImageCompaction.class, power -> compact(power, id, fresh, credit));
    }
    NodeId base = sandbox.base();
    if (base != null) {
      work(
          "copy", base, CopyPreparation.class, ahead -> prepare(ahead, base, SHARE, WriteLog.NONE));
    }
    NodeId disk = sandbox.disk();
    work("copy", disk, CopyPreparation.class, ahead -> prepare(ahead, disk, SHARE, sandbox.log()));
  }

  private static boolean prepare(CopyPreparation ahead, NodeId id, double share, WriteLog log) {
    ahead.prepare(id, share, log);
    return true;
  }

  private boolean compact(ImageCompaction power, String sandboxId, NodeId image, long credit) {
    ImageCompaction.Compacted compacted = power.compact(image, credit, SHARE);
    if (compacted.writtenBytes() == 0) {
      return false;
    }
    bytes.add((double) compacted.writtenBytes(), "written");
    bytes.add((double) compacted.addedBytes(), "added");
    synchronized (this) {
      credits.computeIfPresent(sandboxId, (id, had) -> had - compacted.addedBytes());
    }
    LOG.log(System.Logger.Level.DEBUG, "compacted {0}: {1}", image, compacted);
    return true;
  }

  /**
   * Applies an action to a node if its backend supports it. Failures are only logged and counted.
   */
  private <T> void work(String what, NodeId id, Class<T> type, Function<T, Boolean> action) {
    T capability = Capability.guarded(SplitStorage.backendOf(storage, id), type);
    if (capability == null || !space.plenty()) {
      return;
    }
    long start = System.nanoTime();
    try {
      boolean did = action.apply(capability);
      if (did) {
        done.increment(what, "done");
      }
    } catch (RametException e) {
      boolean gone = e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.CONFLICT;
      if (Thread.currentThread().isInterrupted() && !what.equals("catch-up")) {
        return; // closing
      }
      done.increment(what, gone ? "gone" : "failed");
      if (!gone) {
        LOG.log(System.Logger.Level.WARNING, what + " of " + id + " failed ahead of a capture", e);
      }
    } finally {
      seconds.add((System.nanoTime() - start) / NANOS, what);
    }
  }

  /** Stops the work under way and waits until it has stopped. */
  @Override
  public void close() {
    synchronized (this) {
      waiting.clear();
    }
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.log(System.Logger.Level.WARNING, "a copy was still being prepared");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
