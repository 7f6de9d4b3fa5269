// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layers of a root by number, what they stand on, and the count of their users. Not
 * thread-safe: the {@link LayerStore} guards it.
 */
final class LayerTable {
  private final Path directory;
  private final Map<Long, Layer> layers = new HashMap<>();

  /** Per layer, the number of nodes that have it as their top plus the number of layers on it. */
  private final Map<Long, Integer> users = new HashMap<>();

  /** Layers that are the top of a volume; all others never change again. */
  private final Set<Long> tops = new HashSet<>();

  /**
   * Creates an empty table.
   *
   * @param directory where the layers are, for messages
   */
  LayerTable(Path directory) {
    this.directory = directory;
  }

  /**
   * Adds a layer found on disk, without its users. Of two generations it keeps the later one.
   * Returns the superseded layer, or null.
   */
  @Nullable Layer seen(Layer layer) {
    Layer other = layers.get(layer.id());
    boolean later = other == null || other.generation() < layer.generation();
    if (later) {
      layers.put(layer.id(), layer);
    }
    return later ? other : layer;
  }

  /** Counts the layers on each layer. */
  void countParents() {
    for (Layer layer : layers.values()) {
      if (!layer.isFlat()) {
        use(layer.parent());
      }
    }
  }

  /** Adds a new layer that is the top of a volume, its first user. */
  void add(Layer layer) {
    put(layer);
    use(layer.id());
    tops.add(layer.id());
  }

  /** Replaces a layer by another generation or size of it, or adds it. */
  void put(Layer layer) {
    layers.put(layer.id(), layer);
  }

  void remove(long id) {
    layers.remove(id);
    users.remove(id);
    tops.remove(id);
  }

  /** Adds a user to a layer. */
  void use(long id) {
    users.merge(id, 1, Integer::sum);
  }

  /** Removes a user from a layer. Returns the layer if it has none any more, or null. */
  @Nullable Layer release(long id) {
    Integer left = users.computeIfPresent(id, (layer, count) -> count - 1);
    return left != null && left == 0 ? layers.get(id) : null;
  }

  int users(long id) {
    return users.getOrDefault(id, 0);
  }

  void setTop(long id) {
    tops.add(id);
  }

  void setFrozen(long id) {
    tops.remove(id);
  }

  /** Returns whether a layer is the top of a volume. */
  boolean isTop(long id) {
    return tops.contains(id);
  }

  @Nullable Layer find(long id) {
    return layers.get(id);
  }

  Layer layer(long id) {
    Layer layer = layers.get(id);
    if (layer == null) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "layer " + id + " is missing in " + directory,
          "restore it from a backup, or delete the nodes that need it",
          null);
    }
    return layer;
  }

  /** Returns the layers of a stack, the top first. */
  List<Layer> stack(long top) {
    List<Layer> stack = new ArrayList<>();
    Layer layer = layer(top);
    stack.add(layer);
    while (!layer.isFlat()) {
      layer = layer(layer.parent());
      stack.add(layer);
    }
    return stack;
  }

  /** Returns whether a layer and all layers below it exist. */
  boolean isWhole(long id) {
    Layer layer = layers.get(id);
    while (layer != null && !layer.isFlat()) {
      layer = layers.get(layer.parent());
    }
    return layer != null;
  }

  /** Returns some layer on the given one, or null if there is none. */
  @Nullable Layer anyOn(long id) {
    return layers.values().stream().filter(l -> l.parent() == id).findAny().orElse(null);
  }

  /** Returns all layers. */
  List<Layer> all() {
    return List.copyOf(layers.values());
  }

  int size() {
    return layers.size();
  }
}
