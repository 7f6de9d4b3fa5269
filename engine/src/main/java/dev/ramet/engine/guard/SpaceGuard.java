// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.state.SandboxStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches the free space below the disks of machines. It warns when the reserve is near, stops
 * machines while half of the reserve is left where a write could otherwise be lost, and lets
 * machines go on that a full disk has stopped. A machine whose hypervisor does not answer delays
 * neither the others nor this watch.
 */
public final class SpaceGuard implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SpaceGuard.class.getName());
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final SpaceWatch watch;
  private final ExecutorService calls = Executors.newCachedThreadPool(SpaceGuard::daemon);
  private final Thread thread;
  private volatile boolean closed;

  /**
   * Starts to watch, after looking once.
   *
   * @param root the directory of the disks
   * @param disks the file systems that take their data
   * @param all the file systems of all roots
   * @param devices whether disks are block devices
   * @param gate lets machines start while none are held
   */
  public SpaceGuard(
      Path root,
      FreeSpace disks,
      FreeSpace all,
      boolean devices,
      SandboxStore sandboxes,
      StartGate gate,
      Registry metrics) {
    this.thread = new Thread(this::work, "ramet-space");
    StoppedMachines machines =
        new StoppedMachines(
            sandboxes, gate, metrics, calls, System::nanoTime, () -> LockSupport.unpark(thread));
    this.watch = new SpaceWatch(root, disks, all, devices, machines, gate, System::nanoTime);
    var unused = tryLook();
    thread.setDaemon(true);
    thread.start();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "ramet-space-call");
    thread.setDaemon(true);
    return thread;
  }

  private void work() {
    while (!closed) {
      LockSupport.parkNanos(this, tryLook().toNanos());
      if (Thread.interrupted()) {
        LOG.log(WARNING, "an interrupt of the watch of the free space is ignored");
      }
    }
  }

  /** Looks once; after any failure it looks again later, because nothing else stops the guests. */
  private Duration tryLook() {
    try {
      return watch.look();
    } catch (RuntimeException | Error e) {
      LOG.log(WARNING, "cannot watch the free space", e);
      return SpaceWatch.FAR;
    }
  }

  /** Stops to watch. Machines that it has stopped stay so until the next start. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // A call that is under way may wait for a machine that does not answer; nothing waits for it.
    calls.shutdown();
  }
}
