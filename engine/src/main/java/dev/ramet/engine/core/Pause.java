// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.pages.Capture;
import dev.ramet.engine.pages.Fingerprint;
import dev.ramet.engine.store.Layout;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * What a capture does while its machine stands still, and nothing else: the devices are saved, the
 * disk is cloned, the selected pages are read. Also keeps the account of it: a capture that must be
 * taken again in another mode stops the machine again. Used by one thread.
 */
final class Pause {
  private final Context context;
  private final ExecutorService helpers;
  final Phases phases = new Phases();
  private long nanos;
  private long selectedBytes;
  private Instant instant = Instant.EPOCH;

  Pause(Context context, ExecutorService helpers) {
    this.context = context;
    this.helpers = helpers;
  }

  /** How long the machine has stood still, all pauses of the capture together. */
  long nanos() {
    return nanos;
  }

  /** What the memory mode selected. */
  long selectedBytes() {
    return selectedBytes;
  }

  /** The instant that was captured. */
  Instant instant() {
    return instant;
  }

  /**
   * What to clone, and where to.
   *
   * @param liveDisk the disk in use
   * @param snapshotDisk what it is cloned to
   * @param devices directory for the devices' state
   */
  record Paths(NodeId liveDisk, NodeId snapshotDisk, Path devices) {
    static Paths of(String sandboxId, int machine, String snapshotId, Path partial) {
      return new Paths(
          Layout.machineDisk(sandboxId, machine),
          Layout.snapshotDisk(snapshotId),
          Layout.devices(partial));
    }
  }

  /** The memory mode has no use for this capture; the machine runs again. */
  static final class ModeUnfit extends Exception {
    private static final long serialVersionUID = 1L;

    final RametException failure;

    ModeUnfit(RametException failure) {
      super(failure);
      this.failure = failure;
    }
  }

  /**
   * Stops the machine, reads, and lets it run again, whatever happens.
   *
   * @param all receives a checksum of all pages; null for none
   * @throws ModeUnfit when the tracker cannot tell what must be read
   */
  void read(
      RunningVm vm, Paths paths, Tracking.Use tracker, Capture pages, @Nullable Fingerprint all)
      throws ModeUnfit {
    context.before("snapshot.pause");
    long start = System.nanoTime();
    try (PausedVm paused = vm.pause()) {
      instant = Instant.now();
      phases.ended("stop");
      // The hypervisor saves its devices while this side clones the disk, which stands still since
      // the stop, and looks up where guest memory is, which saving does not move.
      Future<GuestMemory> beside = helpers.submit(() -> cloneDisk(paused, paths));
      try {
        context.before("snapshot.devices");
        paused.saveDevices(paths.devices());
        phases.ended("devices");
      } finally {
        awaitEnd(beside);
      }
      GuestMemory memory = result(beside);
      phases.ended("disk");
      // Only now: saving the devices may have written guest memory.
      PageRanges ranges = select(tracker, memory);
      selectedBytes = ranges.copyBytes() + ranges.zeroBytes();
      phases.ended("select");
      context.before("snapshot.read");
      pages.readWhilePaused(memory.pid(), ranges);
      phases.ended("read");
      if (all != null) {
        all.take(memory);
        phases.ended("verify");
      }
      context.before("snapshot.track");
      tracker.committed();
      phases.ended("track");
      context.before("snapshot.resume");
      paused.resume();
      phases.ended("resume");
    } finally {
      nanos += System.nanoTime() - start;
    }
  }

  private PageRanges select(Tracking.Use tracker, GuestMemory memory) throws ModeUnfit {
    try {
      context.before("snapshot.select");
      return tracker.select(memory);
    } catch (RametException e) {
      if (e.code() == ErrorCode.UNSUPPORTED) {
        throw new ModeUnfit(e);
      }
      throw e;
    }
  }

  private GuestMemory cloneDisk(PausedVm paused, Paths paths) {
    context.before("snapshot.disk");
    context.storage().snapshot(paths.liveDisk(), paths.snapshotDisk(), Durability.RELAXED);
    return paused.memory();
  }

  /** Nothing may be undone, and the machine may not run, while the other side is still at work. */
  private static void awaitEnd(Future<?> work) {
    boolean interrupted = false;
    while (!work.isDone()) {
      try {
        work.get();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        break; // Told by whoever asks for the result.
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static GuestMemory result(Future<GuestMemory> work) {
    try {
      return work.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new RametException(ErrorCode.INTERNAL, "cannot clone the disk", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted during a capture", e);
    }
  }
}
