// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.NodeFiles;
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
 * The layers of a root and their users. Thread-safe; its lock is held while devices change, and
 * never while data is copied.
 */
final class LayerStore implements Devices.Stack {
  /** Stacks are kept this low in the background. */
  static final int DEPTH = 8;

  /** Stacks never get higher. */
  static final int MAX_DEPTH = 32;

  private final LayerFiles files;
  private final Devices devices;
  private final DeviceChanges changes;
  private final Map<Long, Layer> layers = new HashMap<>();

  /** For each layer, the number of nodes with it as their top plus the number of layers on it. */
  private final Map<Long, Integer> users = new HashMap<>();

  private final Map<Long, Long> sizes = new HashMap<>();

  /** Layers that are the top of a volume; all others never change again. */
  private final Set<Long> writable = new HashSet<>();

  private final LayerNumbers numbers = new LayerNumbers();

  LayerStore(LayerFiles files, Devices devices) {
    this.files = files;
    this.devices = devices;
    this.changes = new DeviceChanges(devices);
  }

  LayerFiles files() {
    return files;
  }

  Devices devices() {
    return devices;
  }

  /**
   * Adds a layer found on disk; its users are added later. Of two generations the later one counts.
   */
  synchronized void found(Layer layer) throws LinuxException {
    Layer superseded = seen(layer);
    if (superseded != null) {
      files.delete(superseded);
    }
  }

  /**
   * Adds a layer found on disk without deleting anything; returns the file that is obsolete, or
   * null.
   */
  synchronized @Nullable Layer seen(Layer layer) {
    Layer other = layers.get(layer.id());
    boolean later = other == null || other.generation() < layer.generation();
    if (later) {
      layers.put(layer.id(), layer);
    }
    taken(layer.id());
    return later ? other : layer;
  }

  /** Reserves a number that must not be used again. */
  void taken(long id) {
    numbers.taken(id);
  }

  /** Returns a new number, for a layer or a device. */
  long newId() {
    return numbers.next();
  }

  /** Counts the users of all layers, once all layers have been found. */
  synchronized void countParents() {
    for (Layer layer : layers.values()) {
      if (!layer.isFlat()) {
        users.merge(layer.parent(), 1, Integer::sum);
      }
    }
  }

  /** Returns whether a layer and all layers below it exist. */
  synchronized boolean isWhole(long id) {
    Layer layer = layers.get(id);
    while (layer != null && !layer.isFlat()) {
      layer = layers.get(layer.parent());
    }
    return layer != null;
  }

  /** Deletes the layers without users and returns how many there were. */
  synchronized int deleteUnused() throws LinuxException {
    int before = layers.size();
    for (Layer layer : List.copyOf(layers.values())) {
      if (layers.containsKey(layer.id()) && users.getOrDefault(layer.id(), 0) == 0) {
        discard(layer);
      }
    }
    return before - layers.size();
  }

  /** Makes an image. Its first user is the caller. */
  long newFlat(NodeFiles.Filler filler, boolean durable) throws LinuxException {
    Layer layer = Layer.flat(newId());
    files.make(layer, filler, durable);
    register(layer);
    return layer.id();
  }

  /** Makes an empty store on a layer. Its first user is the caller. */
  long newStore(long parent, boolean durable) throws LinuxException {
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
      // While the file is made, the parent must not go away.
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

  /** Says that a layer is a volume's top. */
  synchronized void isTop(long id) {
    writable.add(id);
  }

  synchronized boolean isFrozen(long id) {
    return !writable.contains(id);
  }

  /** Counts one more user. */
  synchronized void use(long id) {
    users.merge(id, 1, Integer::sum);
  }

  /** Removes one user of a layer; deletes layers that have none left. */
  synchronized void release(long id) throws LinuxException {
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

  /** Says that a layer is no volume's top any more, and will not change. */
  synchronized void freeze(long id) {
    writable.remove(id);
  }

  /** Returns the layers of a stack, the top first. */
  synchronized List<Layer> stack(long top) {
    List<Layer> stack = new ArrayList<>();
    Layer layer = layer(top);
    stack.add(layer);
    while (!layer.isFlat()) {
      layer = layer(layer.parent());
      stack.add(layer);
    }
    return stack;
  }

  synchronized int depth(long top) {
    return stack(top).size();
  }

  /** Returns a layer based on the given one, or null if there is none. */
  synchronized @Nullable Layer anyOn(long id) {
    return layers.values().stream().filter(l -> l.parent() == id).findAny().orElse(null);
  }

  synchronized int users(long id) {
    return users.getOrDefault(id, 0);
  }

  /** Returns all existing layers. */
  synchronized List<Layer> layers() {
    return List.copyOf(layers.values());
  }

  /** Puts a layer's file under its device, if the device still presents the file's predecessor. */
  synchronized void show(Layer layer) throws LinuxException {
    changes.replace(layer, this);
  }

  /** Returns the layer with a number, or null if it does not exist. */
  synchronized @Nullable Layer find(long id) {
    return layers.get(id);
  }

  synchronized Layer layer(long id) {
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

  /** Returns the disk space of a stack, and how much of it no other stack needs. */
  synchronized Usage usage(long top) throws LinuxException {
    long exclusive = 0;
    long referenced = 0;
    boolean alone = true;
    for (Layer layer : stack(top)) {
      long bytes = files.allocatedBytes(layer);
      // An empty store is its header and nothing of the node's.
      bytes -= layer.isFlat() ? 0 : Math.min(bytes, CowStore.CHUNK_BYTES);
      alone &= users(layer.id()) == 1;
      referenced += bytes;
      exclusive += alone ? bytes : 0;
    }
    return new Usage(exclusive, referenced);
  }

  /** Returns the result of merging a run of layers: the top, on the parent of the bottom. */
  synchronized Layer merged(Layer top, Layer bottom) throws LinuxException {
    Layer now = new Layer(top.id(), top.generation() + 1, bottom.parent(), 0);
    boolean grown = !now.isFlat() && sizeBytes(top) > sizeBytes(parent(now));
    return grown ? now.grownTo(sizeBytes(top)) : now;
  }

  /**
   * Replaces a layer's old generation by the new one, if the old one is still current.
   *
   * @return whether it was
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
   * Enlarges the top layer of a volume or undoes that. No device presents it.
   *
   * @return the previous layer
   */
  synchronized Layer resize(long id, long sizeBytes) throws LinuxException {
    Layer layer = layer(id);
    Layer now = layer;
    if (layer.isFlat()) {
      files.resize(layer, sizeBytes);
    } else {
      // Until the rename the file is longer than necessary, and the layer keeps its size.
      files.resize(layer, CowStore.capacityBytes(sizeBytes));
      now = layer.grownTo(sizeBytes == sizeBytes(parent(layer)) ? 0 : sizeBytes);
      files.rename(layer, now);
    }
    layers.put(id, now);
    sizes.put(id, sizeBytes);
    return layer;
  }

  /** Opens the files of a stack, so that they can be read whatever becomes of their names. */
  synchronized StackCopy open(List<Layer> stack) throws LinuxException {
    return StackCopy.open(files, stack);
  }

  /** Opens the files of the stack below a top, which it is now. */
  synchronized StackCopy open(long top) throws LinuxException {
    return open(stack(top));
  }
}
