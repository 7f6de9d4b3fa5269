// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.spi.storage.image.CopyProgress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps stacks low in the background: merges a frozen layer with those below it into a new file,
 * and switches the layer's device to it. Runs one merge at a time at a limited rate, and only on
 * layers that never change, so nobody waits for it.
 *
 * <p>A layer with a single layer on it is merged with that one, which also frees overwritten data.
 * A layer with more users stays, and is merged only when a stack gets higher than {@link #DEPTH}.
 * Then the merge includes those neighbours that are not larger than all layers above them, so that
 * the number of times a block is copied grows with the logarithm of the history.
 */
public final class Merger implements AutoCloseable {
  /** Merging keeps stacks at most this high, in layers. */
  public static final int DEPTH = 8;

  private static final System.Logger LOG = System.getLogger(Merger.class.getName());

  private final LayerStore store;
  private final long bytesPerSecond;
  private final long reserveBytes;
  private final Set<Long> queue = new LinkedHashSet<>();
  private final Thread thread;
  private boolean closed;
  private boolean working;

  public Merger(LayerStore store, long bytesPerSecond, long reserveBytes) {
    this.store = store;
    this.bytesPerSecond = bytesPerSecond;
    this.reserveBytes = reserveBytes;
    this.thread = new Thread(this::runLoop, "ramet-dm-merge");
    thread.setDaemon(true);
    thread.start();
  }

  /** Queues a frozen layer as a candidate for merging. */
  public synchronized void enqueue(long layer) {
    queue.add(layer);
    notifyAll();
  }

  /** Considers merging the only layer left that needs the given one. */
  public void considerAbove(long layer) {
    Layer above = store.users(layer) == 1 ? store.hasLayerAbove(layer) : null;
    if (above != null) {
      enqueue(above.id());
    }
  }

  /** Waits until nothing is left to do. */
  public synchronized void await() throws InterruptedException {
    while (!closed && thread.isAlive() && (working || !queue.isEmpty())) {
      wait(100);
    }
  }

  private void runLoop() {
    try {
      while (true) {
        long layer = next();
        try {
          merge(layer);
        } catch (LinuxException | RuntimeException e) {
          LOG.log(WARNING, "layer " + layer + " was not merged and stays unchanged", e);
        }
      }
    } catch (InterruptedException e) {
      LOG.log(DEBUG, "merging has stopped");
    }
  }

  private synchronized long next() throws InterruptedException {
    working = false;
    notifyAll();
    while (queue.isEmpty()) {
      if (closed) {
        throw new InterruptedException();
      }
      wait();
    }
    long layer = queue.iterator().next();
    queue.remove(layer);
    working = true;
    return layer;
  }

  private void merge(long id) throws LinuxException, InterruptedException {
    List<Layer> run;
    synchronized (store) {
      if (!store.isFrozen(id) || !store.isWhole(id)) {
        return;
      }
      run = chooseLayers(store.stack(id));
      for (Layer layer : run) {
        store.addUser(layer.id());
      }
    }
    if (run.isEmpty()) {
      return;
    }
    Layer top = run.get(0);
    Layer bottom = run.get(run.size() - 1);
    Layer merged = store.mergedLayer(top, bottom);
    boolean replaced = false;
    try {
      store.files().make(merged, (target, path) -> writeMerged(target, run), true);
      replaced = store.replace(top, merged);
    } catch (Stopped e) {
      throw new InterruptedException();
    } catch (RametException e) {
      if (e.code() == ErrorCode.CANCELLED) {
        throw new InterruptedException();
      }
      throw e;
    } finally {
      if (!replaced) {
        store.files().delete(merged);
      }
      for (Layer layer : run) {
        store.removeUser(layer.id());
      }
    }
    LOG.log(DEBUG, "merged {0} layers into {1}", run.size(), merged.fileName());
  }

  /** Returns the layers of a stack to merge, the top first; empty if none need it. */
  private List<Layer> chooseLayers(List<Layer> stack) throws LinuxException {
    // Leave the base out: all stores are small compared with it.
    List<Layer> stores = stack.subList(0, stack.size() - 1);
    int length = 1;
    while (length < stores.size() && store.users(stores.get(length).id()) == 1) {
      length++;
    }
    if (length < 2 && stack.size() > DEPTH) {
      length = lengthBySize(stores);
    }
    if (stores.isEmpty() || length < 2) {
      return chooseUnsharedBase(stack);
    }
    long bytes = 0;
    for (Layer layer : stores.subList(0, length)) {
      bytes += store.files().allocatedBytes(layer);
    }
    return hasRoom(bytes) ? List.copyOf(stores.subList(0, length)) : List.of();
  }

  private int lengthBySize(List<Layer> stores) throws LinuxException {
    long above = store.files().allocatedBytes(stores.get(0));
    int length = 1;
    while (length < stores.size()) {
      long bytes = store.files().allocatedBytes(stores.get(length));
      if (bytes > 2 * above && stores.size() - length < DEPTH - 2) {
        break;
      }
      above += bytes;
      length++;
    }
    return Math.max(length, 2);
  }

  /**
   * Returns a store and the image below it, if the image has no other user and the store is more
   * than a quarter of its size; otherwise empty.
   */
  private List<Layer> chooseUnsharedBase(List<Layer> stack) throws LinuxException {
    if (stack.size() != 2 || store.users(stack.get(1).id()) != 1) {
      return List.of();
    }
    long change = store.files().allocatedBytes(stack.get(0));
    long image = store.files().allocatedBytes(stack.get(1));
    return change > image / 4 && hasRoom(change + image) ? List.copyOf(stack) : List.of();
  }

  private boolean hasRoom(long bytes) throws LinuxException {
    return FsInfo.of(store.files().directory()).freeBytes() - bytes > reserveBytes;
  }

  private void writeMerged(Fd target, List<Layer> run) throws LinuxException {
    long size = store.sizeBytes(run.get(0));
    try (StackCopy copy = store.open(run)) {
      if (run.get(run.size() - 1).isFlat()) {
        copy.writeImage(target, size, CopyProgress.NONE, this::pause);
      } else {
        copy.writeStore(target, size, this::pause);
      }
    }
  }

  private long owedNanos;

  /** Sleeps as needed to keep the copy rate. */
  private void pause(long bytes) {
    owedNanos += bytes * 1_000_000_000L / bytesPerSecond;
    if (Thread.currentThread().isInterrupted()) {
      throw new Stopped();
    }
    if (owedNanos > 10_000_000) {
      try {
        Thread.sleep(owedNanos / 1_000_000);
      } catch (InterruptedException e) {
        throw new Stopped();
      }
      owedNanos = 0;
    }
  }

  /** Thrown when the root is being closed. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super("stopped", null, false, false);
    }
  }

  /** Stops merging and discards a merge in progress. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      queue.clear();
      notifyAll();
    }
    ThreadStopper.interruptAndJoin(thread);
  }
}
