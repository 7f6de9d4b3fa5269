// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.backends.node.NodeFiles;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The layers of a root and the count of their users. Thread-safe; its lock is held while devices
 * change, and never while data is copied.
 */
public final class LayerStore implements Devices.Stack {
  /** The highest possible stack, in layers. */
  static final int MAX_DEPTH = 32;

  private final LayerFiles files;
  private final Devices devices;
  private final DeviceChanges changes;
  private final LayerTable table;
  private final LayerSizes sizes;
  private final LayerNumbers numbers = new LayerNumbers();

  public LayerStore(LayerFiles files, Devices devices) {
    this.files = files;
    this.devices = devices;
    this.changes = new DeviceChanges(devices);
    this.table = new LayerTable(files.directory());
    this.sizes = new LayerSizes(files, table);
  }

  public LayerFiles files() {
    return files;
  }

  public Devices devices() {
    return devices;
  }

  /**
   * Registers a layer found on disk, without its users. Of two generations it keeps the later one
   * and deletes the other's file.
   */
  public synchronized void registerFound(Layer layer) throws LinuxException {
    Layer superseded = registerExamined(layer);
    if (superseded != null) {
      files.delete(superseded);
    }
  }

  /**
   * Registers a layer found on disk without deleting a file. Returns the superseded layer, or null.
   */
  public synchronized @Nullable Layer registerExamined(Layer layer) {
    markUsed(layer.id());
    return table.seen(layer);
  }

  /** Marks a number as used. */
  public void markUsed(long id) {
    numbers.markUsed(id);
  }

  /** Returns a new number, for a layer or a device. */
  public long newId() {
    return numbers.next();
  }

  /** Counts the layers on each layer. Call it when all layers are registered. */
  public synchronized void countParents() {
    table.countParents();
  }

  /** Returns whether a layer and all layers below it exist. */
  public synchronized boolean isWhole(long id) {
    return table.isWhole(id);
  }

  /** Deletes the layers without users. Returns how many. */
  public synchronized int deleteUnused() throws LinuxException {
    int before = table.size();
    for (Layer layer : table.all()) {
      // Discarding one may have discarded others below it.
      if (table.find(layer.id()) != null && table.users(layer.id()) == 0) {
        discard(layer);
      }
    }
    return before - table.size();
  }

  /** Creates an image. The caller is its first user. */
  public long newFlat(NodeFiles.Filler filler, boolean durable) throws LinuxException {
    Layer layer = Layer.newFlat(newId());
    files.make(layer, filler, durable);
    register(layer);
    return layer.id();
  }

  /** Creates an empty store on a layer. The caller is its first user. */
  public long newStore(long parent, boolean durable) throws LinuxException {
    long size;
    synchronized (this) {
      Layer below = layer(parent);
      if (depth(parent) >= MAX_DEPTH) {
        throw new RametException(
            ErrorCode.UNAVAILABLE,
            "too many snapshots build on one another, and merging has not caught up",
            "try again later",
            null);
      }
      size = sizeBytes(below);
      // The parent must not be deleted while the file is created.
      addUser(parent);
    }
    Layer layer = Layer.newStore(parent, newId());
    boolean done = false;
    try {
      files.make(layer, (file, path) -> CowStore.initialize(file, size), durable);
      register(layer);
      done = true;
      return layer.id();
    } finally {
      if (!done) {
        removeUser(parent);
      }
    }
  }

  private synchronized void register(Layer layer) {
    table.add(layer);
  }

  /** Marks a layer as the top of a volume. */
  public synchronized void isTop(long id) {
    table.setTop(id);
  }

  synchronized boolean isFrozen(long id) {
    return !table.isTop(id);
  }

  /** Adds a user to a layer. */
  public synchronized void addUser(long id) {
    table.use(id);
  }

  /** Removes a user from a layer, and deletes the layers that then have none. */
  public synchronized void removeUser(long id) throws LinuxException {
    Layer unused = table.release(id);
    if (unused != null) {
      discard(unused);
    }
  }

  private void discard(Layer layer) throws LinuxException {
    devices.remove(devices.layerName(layer.id()));
    devices.remove(devices.wideName(layer));
    files.delete(layer);
    table.remove(layer.id());
    sizes.forget(layer.id());
    if (!layer.isFlat()) {
      removeUser(layer.parent());
    }
  }

  /** Marks a layer as frozen: it is no longer the top of a volume and will not change. */
  synchronized void freeze(long id) {
    table.setFrozen(id);
  }

  /** Returns the layers of a stack, the top first. */
  public synchronized List<Layer> stack(long top) {
    return table.stack(top);
  }

  public synchronized int depth(long top) {
    return stack(top).size();
  }

  /** Returns some layer on the given one, or null if there is none. */
  public synchronized @Nullable Layer hasLayerAbove(long id) {
    return table.anyOn(id);
  }

  public synchronized int users(long id) {
    return table.users(id);
  }

  /** Returns all layers. */
  public synchronized List<Layer> layers() {
    return table.all();
  }

  /**
   * Switches a layer's device, if active, to its current file. The device must show the files that
   * this one was merged from.
   */
  public synchronized void switchToCurrentFile(Layer layer) throws LinuxException {
    changes.replace(layer, this);
  }

  /** Returns the layer with this number, or null. */
  public synchronized @Nullable Layer find(long id) {
    return table.find(id);
  }

  public synchronized Layer layer(long id) {
    return table.layer(id);
  }

  @Override
  public Layer parent(Layer layer) {
    return layer(layer.parent());
  }

  @Override
  public synchronized long sizeBytes(Layer layer) throws LinuxException {
    return sizes.of(layer);
  }

  /** Returns the space that a stack takes on disk, and the part of it that has no other user. */
  public synchronized Usage usage(long top) throws LinuxException {
    return LayerUsage.of(files, table, top);
  }

  /**
   * Returns the result of merging a run of layers: the top, standing on the parent of the bottom.
   */
  synchronized Layer mergedLayer(Layer top, Layer bottom) throws LinuxException {
    Layer now = new Layer(top.id(), top.generation() + 1, bottom.parent(), 0);
    boolean grown = !now.isFlat() && sizeBytes(top) > sizeBytes(parent(now));
    return grown ? now.grownTo(sizeBytes(top)) : now;
  }

  /**
   * Replaces a layer by its new generation, if the layer is still the one that was merged.
   *
   * @return whether it was replaced
   */
  synchronized boolean replace(Layer old, Layer now) throws LinuxException {
    if (!old.equals(table.find(old.id()))) {
      return false;
    }
    table.put(now);
    boolean done = false;
    try {
      changes.replace(now, this);
      done = true;
    } finally {
      if (!done) {
        table.put(old);
      }
    }
    if (!now.isFlat()) {
      addUser(now.parent());
    }
    files.delete(old);
    devices.remove(devices.wideName(old));
    if (!old.isFlat()) {
      removeUser(old.parent());
    }
    return true;
  }

  /**
   * Changes the size of a volume's top: grows it or undoes that. No device may use it.
   *
   * @return the layer before the change
   */
  public synchronized Layer resize(long id, long sizeBytes) throws LinuxException {
    Layer layer = layer(id);
    Layer now = layer;
    if (layer.isFlat()) {
      files.resize(layer, sizeBytes);
    } else {
      // Until the rename, the file is longer than it needs to be and the layer keeps its old size.
      files.resize(layer, CowStore.capacityBytes(sizeBytes));
      now = layer.grownTo(sizeBytes == sizeBytes(parent(layer)) ? 0 : sizeBytes);
      files.rename(layer, now);
    }
    table.put(now);
    sizes.set(id, sizeBytes);
    return layer;
  }

  /** Opens the files of a stack, so that they stay readable even if they are renamed or deleted. */
  synchronized StackCopy open(List<Layer> stack) throws LinuxException {
    return StackCopy.open(files, stack);
  }

  /** Opens the files of the current stack with this top. */
  public synchronized StackCopy open(long top) throws LinuxException {
    return open(stack(top));
  }
}
