// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.backends.node.NodeFiles;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Usage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layers of a root and the count of their users. Thread-safe; its lock is held while devices
 * change, and never while data is copied.
 */
public final class LayerStore implements Devices.Stack {
  /** Background merging keeps stacks at most this high, in layers. */
  public static final int DEPTH = 8;

  /** The highest possible stack, in layers. */
  static final int MAX_DEPTH = 32;

  private final LayerFiles files;
  private final Devices devices;
  private final DeviceChanges changes;
  private final Map<Long, Layer> layers = new HashMap<>();

  /** Per layer, the number of nodes that have it as their top plus the number of layers on it. */
  private final Map<Long, Integer> users = new HashMap<>();

  private final Map<Long, Long> sizes = new HashMap<>();

  /** Layers that are the top of a volume; all others never change again. */
  private final Set<Long> writable = new HashSet<>();

  private final LayerNumbers numbers = new LayerNumbers();

  public LayerStore(LayerFiles files, Devices devices) {
    this.files = files;
    this.devices = devices;
    this.changes = new DeviceChanges(devices);
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
  public synchronized void found(Layer layer) throws LinuxException {
    Layer superseded = seen(layer);
    if (superseded != null) {
      files.delete(superseded);
    }
  }

  /**
   * Registers a layer found on disk without deleting a file. Returns the superseded layer, or null.
   */
  public synchronized @Nullable Layer seen(Layer layer) {
    Layer other = layers.get(layer.id());
    boolean later = other == null || other.generation() < layer.generation();
    if (later) {
      layers.put(layer.id(), layer);
    }
    taken(layer.id());
    return later ? other : layer;
  }

  /** Marks a number as used. */
  public void taken(long id) {
    numbers.taken(id);
  }

  /** Returns a new number, for a layer or a device. */
  public long newId() {
    return numbers.next();
  }

  /** Counts the layers on each layer. Call it when all layers are registered. */
  public synchronized void countParents() {
    for (Layer layer : layers.values()) {
      if (!layer.isFlat()) {
        users.merge(layer.parent(), 1, Integer::sum);
      }
    }
  }

  /** Returns whether a layer and all layers below it exist. */
  public synchronized boolean isWhole(long id) {
    Layer layer = layers.get(id);
    while (layer != null && !layer.isFlat()) {
      layer = layers.get(layer.parent());
    }
    return layer != null;
  }

  /** Deletes the layers without users. Returns how many. */
  public synchronized int deleteUnused() throws LinuxException {
    int before = layers.size();
    for (Layer layer : List.copyOf(layers.values())) {
      if (layers.containsKey(layer.id()) && users.getOrDefault(layer.id(), 0) == 0) {
        discard(layer);
      }
    }
    return before - layers.size();
  }

  /** Creates an image. The caller is its first user. */
  public long newFlat(NodeFiles.Filler filler, boolean durable) throws LinuxException {
    Layer layer = Layer.flat(newId());
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
            "too many snapshots on one another, and merging them has not caught up",
            "try again in a while",
            null);
      }
      size = sizeBytes(below);
      // The parent must not be deleted while the file is created.
      use(parent);
    }
    Layer layer = Layer.on(parent, newId());
    boolean done = false;
    try {
      files.make(layer, (file, path) -> CowStore.initialize(file, size), durable);
      register(layer);
      done = true;
      return layer.id();
    } finally {
      if (!done) {
        release(parent);
      }
    }
  }

  private synchronized void register(Layer layer) {
    layers.put(layer.id(), layer);
    users.merge(layer.id(), 1, Integer::sum);
    writable.add(layer.id());
  }

  /** Marks a layer as the top of a volume. */
  public synchronized void isTop(long id) {
    writable.add(id);
  }

  synchronized boolean isFrozen(long id) {
    return !writable.contains(id);
  }

  /** Adds a user to a layer. */
  public synchronized void use(long id) {
    users.merge(id, 1, Integer::sum);
  }

  /** Removes a user from a layer, and deletes the layers that then have none. */
  public synchronized void release(long id) throws LinuxException {
    Integer left = users.computeIfPresent(id, (layer, count) -> count - 1);
    Layer layer = layers.get(id);
    if (layer != null && left != null && left == 0) {
      discard(layer);
    }
  }

  private void discard(Layer layer) throws LinuxException {
    devices.remove(devices.layerName(layer.id()));
    devices.remove(devices.wideName(layer));
    files.delete(layer);
    layers.remove(layer.id());
    users.remove(layer.id());
    sizes.remove(layer.id());
    writable.remove(layer.id());
    if (!layer.isFlat()) {
      release(layer.parent());
    }
  }

  /** Marks a layer as frozen: it is no longer the top of a volume and will not change. */
  synchronized void freeze(long id) {
    writable.remove(id);
  }

  /** Returns the layers of a stack, the top first. */
  public synchronized List<Layer> stack(long top) {
    List<Layer> stack = new ArrayList<>();
    Layer layer = layer(top);
    stack.add(layer);
    while (!layer.isFlat()) {
      layer = layer(layer.parent());
      stack.add(layer);
    }
    return stack;
  }

  public synchronized int depth(long top) {
    return stack(top).size();
  }

  /** Returns some layer on the given one, or null if there is none. */
  public synchronized @Nullable Layer anyOn(long id) {
    return layers.values().stream().filter(l -> l.parent() == id).findAny().orElse(null);
  }

  public synchronized int users(long id) {
    return users.getOrDefault(id, 0);
  }

  /** Returns all layers. */
  public synchronized List<Layer> layers() {
    return List.copyOf(layers.values());
  }

  /**
   * Switches a layer's device, if active, to its current file. The device must show the files that
   * this one was merged from.
   */
  public synchronized void show(Layer layer) throws LinuxException {
    changes.replace(layer, this);
  }

  /** Returns the layer with this number, or null. */
  public synchronized @Nullable Layer find(long id) {
    return layers.get(id);
  }

  public synchronized Layer layer(long id) {
    Layer layer = layers.get(id);
    if (layer == null) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "layer " + id + " is missing in " + files.directory(),
          "restore it from a backup, or delete the nodes that need it",
          null);
    }
    return layer;
  }

  @Override
  public Layer parent(Layer layer) {
    return layer(layer.parent());
  }

  @Override
  public synchronized long sizeBytes(Layer layer) throws LinuxException {
    Long known = sizes.get(layer.id());
    if (known != null) {
      return known;
    }
    long size;
    if (layer.isFlat()) {
      try (Fd file = files.open(layer, false)) {
        size = file.stat().sizeBytes();
      }
    } else {
      size = layer.grownBytes() > 0 ? layer.grownBytes() : sizeBytes(parent(layer));
    }
    sizes.put(layer.id(), size);
    return size;
  }

  /** Returns the space that a stack takes on disk, and the part of it that has no other user. */
  public synchronized Usage usage(long top) throws LinuxException {
    long exclusive = 0;
    long referenced = 0;
    boolean alone = true;
    for (Layer layer : stack(top)) {
      long bytes = files.allocatedBytes(layer);
      // The header of a store holds none of the node's data.
      bytes -= layer.isFlat() ? 0 : Math.min(bytes, CowStore.CHUNK_BYTES);
      alone &= users(layer.id()) == 1;
      referenced += bytes;
      exclusive += alone ? bytes : 0;
    }
    return new Usage(exclusive, referenced);
  }

  /**
   * Returns the result of merging a run of layers: the top, standing on the parent of the bottom.
   */
  synchronized Layer merged(Layer top, Layer bottom) throws LinuxException {
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
    if (!old.equals(layers.get(old.id()))) {
      return false;
    }
    layers.put(now.id(), now);
    boolean done = false;
    try {
      changes.replace(now, this);
      done = true;
    } finally {
      if (!done) {
        layers.put(old.id(), old);
      }
    }
    if (!now.isFlat()) {
      use(now.parent());
    }
    files.delete(old);
    devices.remove(devices.wideName(old));
    if (!old.isFlat()) {
      release(old.parent());
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
    layers.put(id, now);
    sizes.put(id, sizeBytes);
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
