// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.workingset.ImageReadAhead;
import dev.ramet.engine.workingset.MappedPages;
import dev.ramet.engine.workingset.WorkingSet;
import dev.ramet.engine.workingset.WorkingSetFile;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Records the working set of a snapshot, the pages of its memory image that its machines use in the
 * first moments after a restore, and reads these pages into the page cache in parallel with the
 * next restore. Otherwise missing pages would be read one page fault at a time.
 *
 * <p>Nothing depends on it: no operation waits for it, it holds no sandbox, and a failure is
 * counted and retried at another restore. Thread-safe.
 */
public final class WorkingSetPrefetcher implements AutoCloseable {
  /** Whether working sets are recorded and read ahead. */
  public static final Setting<Use> WORKING_SET =
      Setting.constant(
          "ramet.working-set",
          Use.ON,
          "ON: after the first restore of a snapshot or template, the host records which pages"
              + " of its memory image the guest used, and later restores read those pages into the"
              + " page cache as they begin. OFF: the host does neither; existing records stay.");

  /** The delay from the agent's first answer until the machine's pages are inspected. */
  public static final Setting<Duration> WORKING_SET_AFTER =
      Setting.duration(
          "ramet.working-set-after",
          Duration.ofSeconds(2),
          "How long after a restored guest's agent first answers the host records those pages.");

  /** Whether working sets are used. */
  public enum Use {
    /** They are. */
    ON,
    /** They are not. */
    OFF
  }

  private static final System.Logger LOG = System.getLogger(WorkingSetPrefetcher.class.getName());
  private static final int THREADS = 2;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Layout layout;
  private final StorageBackend storage;
  private final SnapshotStore snapshots;
  private final SandboxStore sandboxes;
  private final SnapshotReclaimer reclaimer;
  private final ScheduledExecutorService timer;
  private final boolean on;
  private final Duration after;
  private final WorkingSetMetrics metrics;
  private final ExecutorService threads;
  private final Set<String> prefetching = ConcurrentHashMap.newKeySet();
  private final Set<String> recording = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Creates the prefetcher of a root.
   *
   * @param settings say whether and when working sets are recorded
   * @param timer fires when a machine is due to be examined; never does the work itself
   */
  public WorkingSetPrefetcher(
      Settings settings,
      Layout layout,
      StorageBackend storage,
      SnapshotStore snapshots,
      SandboxStore sandboxes,
      SnapshotReclaimer reclaimer,
      Registry metrics,
      ScheduledExecutorService timer) {
    this.layout = layout;
    this.storage = storage;
    this.snapshots = snapshots;
    this.sandboxes = sandboxes;
    this.reclaimer = reclaimer;
    this.timer = timer;
    this.on = settings.get(WORKING_SET) == Use.ON;
    this.after = settings.get(WORKING_SET_AFTER);
    this.metrics = new WorkingSetMetrics(metrics);
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::daemon);
    pool.allowCoreThreadTimeOut(true);
    this.threads = pool;
  }

  private Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "ramet-working-sets");
    thread.setDaemon(true);
    return thread;
  }

  /** Starts reading the working set of a snapshot that is about to be restored. Does not wait. */
  void prefetch(SnapshotRecord source) {
    if (on && prefetching.add(source.id())) {
      execute(
          () -> {
            try {
              runGuarded("prefetch", source, this::prefetchNow);
            } finally {
              prefetching.remove(source.id());
            }
          });
    }
  }

  /**
   * Schedules recording the working set of a machine that was restored and whose agent has
   * answered. Does not wait.
   *
   * @param sandboxId the sandbox it belongs to
   */
  void restored(String sandboxId, SnapshotRecord source, RunningVm vm) {
    // A snapshot that belongs to an operation is restored once, or by all its users at the same
    // time: no later restore would use the result.
    if (!on || source.kind().hidden() || !recording.add(source.id())) {
      return;
    }
    Restored restored = new Restored(sandboxId, vm, Instant.now());
    try {
      var due =
          timer.schedule(() -> record(source, restored), after.toNanos(), TimeUnit.NANOSECONDS);
      LOG.log(System.Logger.Level.TRACE, "recording scheduled: {0}", due);
    } catch (RejectedExecutionException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "the engine is closing; the working set is recorded after another restore");
    }
  }

  private record Restored(String sandboxId, RunningVm vm, Instant since) {}

  private void record(SnapshotRecord source, Restored restored) {
    execute(
        () -> {
          try {
            runGuarded("record", source, (record, image) -> recordNow(record, image, restored));
          } finally {
            recording.remove(source.id());
          }
        });
  }

  private void execute(Runnable work) {
    try {
      threads.execute(work);
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "closed: no more prefetching");
    }
  }

  /** Work on a snapshot's memory image while the snapshot is pinned. */
  private interface Work {
    void run(SnapshotRecord record, Fd image) throws IOException, LinuxException;
  }

  private void runGuarded(String what, SnapshotRecord source, Work work) {
    if (closed) {
      return;
    }
    try (SnapshotReclaimer.Pin pin = reclaimer.pinIfThere(source.id())) {
      if (pin == null) {
        return;
      }
      NodeId node = Layout.snapshotMemory(source.id());
      Attachment image = storage.attach(node);
      if (image instanceof Attachment.Socket) {
        RemotePrefetch.fetch(storage, node, read(pin.record()));
        return;
      }
      try (Fd fd = Fd.openRead(image.path())) {
        work.run(pin.record(), fd);
      }
    } catch (IOException | LinuxException | RuntimeException e) {
      // Usually the machine ended or the image is gone, and the restore itself reports that.
      metrics.failed();
      LOG.log(System.Logger.Level.DEBUG, "cannot " + what + " the pages of " + source.id(), e);
    }
  }

  private @Nullable WorkingSet read(SnapshotRecord record) {
    Path directory = layout.snapshot(record.id());
    try {
      return WorkingSetFile.read(directory, record.memoryBytes());
    } catch (IOException e) {
      metrics.ignored();
      LOG.log(
          System.Logger.Level.INFO,
          "working set of {0} ignored; it will be recorded again: {1}",
          record.id(),
          e.getMessage());
      return null;
    }
  }

  private void prefetchNow(SnapshotRecord record, Fd image) throws LinuxException {
    WorkingSet set = read(record);
    if (set == null || set.ranges().isEmpty()) {
      return;
    }
    long[] sums = ImageReadAhead.begin(image, set, () -> closed);
    metrics.prefetched(sums[0], sums[1]);
    LOG.log(
        System.Logger.Level.DEBUG,
        "prefetched {0} bytes of {1}, {2} were cached",
        String.valueOf(sums[0]),
        record.id(),
        String.valueOf(sums[1]));
  }

  private void recordNow(SnapshotRecord record, Fd image, Restored restored)
      throws IOException, LinuxException {
    WorkingSet known = read(record);
    boolean own = known != null && known.snapshotId().equals(record.id());
    if (own || record.deleted() || disturbed(restored)) {
      return;
    }
    WorkingSet found = MappedPages.scan(record.id(), restored.vm().memory(), image);
    if (found.ranges().isEmpty() || disturbed(restored)) {
      return;
    }
    WorkingSetFile.write(layout.snapshot(record.id()), found);
    metrics.recorded(found.bytes());
    LOG.log(
        System.Logger.Level.INFO,
        "recorded the working set of {0}: {1} bytes in {2} ranges{3}",
        record.id(),
        String.valueOf(found.bytes()),
        String.valueOf(found.ranges().size()),
        found.whole() ? "" : ", cut at its limit");
  }

  /**
   * Returns whether something other than the guest may have touched the machine's memory: a capture
   * reads all of it in some modes, and always when it is verified. This misses a capture that was
   * deleted meanwhile; the working set is then larger than needed, up to its bound.
   */
  private boolean disturbed(Restored restored) {
    String id = restored.sandboxId();
    return restored.vm().exit().toCompletableFuture().isDone()
        || sandboxes.all().stream().anyMatch(live -> live.id().equals(id) && live.isHeld())
        || snapshots.all().stream()
            .anyMatch(
                made -> id.equals(made.sandboxId()) && made.createdAt().isAfter(restored.since()));
  }

  /** Stops the work under way and waits until it has stopped. */
  @Override
  public void close() {
    closed = true;
    threads.shutdown();
    try {
      if (!threads.awaitTermination(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.log(System.Logger.Level.WARNING, "a working set was still being recorded");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
