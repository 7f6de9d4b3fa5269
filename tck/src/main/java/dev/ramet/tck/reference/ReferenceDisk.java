// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The reference model's disk: it survives the closing or the kill of a backend. Guarded by itself.
 */
class ReferenceDisk {
  /** The prefix of an unfinished image's name. */
  static final String NEW = ".new-";

  /** Images by name; finished ones by their id. */
  final TreeMap<String, Image> images = new TreeMap<>();

  boolean inUse;
  boolean readOnly;
  long freePages = Long.MAX_VALUE;

  /**
   * A node's content: pages that are never changed, only replaced, so that copies can share them.
   */
  static final class Image {
    Node.Kind kind;
    final NodeId origin;
    long sizeBytes;
    final TreeMap<Long, byte[]> pages = new TreeMap<>();

    Image(Node.Kind kind, NodeId origin, long sizeBytes) {
      this.kind = kind;
      this.origin = origin;
      this.sizeBytes = sizeBytes;
    }

    Node node(NodeId id) {
      return new Node(id, kind, origin, sizeBytes);
    }
  }

  /** Signals that there is no room or no permission for a change. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    final boolean full;

    Refused(boolean full) {
      super(full ? "no space left" : "read-only");
      this.full = full;
    }
  }

  /** Returns whether a node, or the origin of another one, has one of these names. */
  boolean isTaken(NodeId id, NodeId origin) {
    boolean originTaken =
        origin.equals(id) && images.values().stream().anyMatch(other -> other.origin.equals(id));
    return originTaken || images.containsKey(id.value());
  }

  /** Returns the finished nodes. */
  List<Node> nodes() {
    List<Node> nodes = new ArrayList<>();
    images.forEach(
        (name, image) -> {
          if (NodeId.isValid(name)) {
            nodes.add(image.node(NodeId.of(name)));
          }
        });
    return nodes;
  }

  /** Creates a copy that shares all pages. */
  Image copy(Image source, Node.Kind kind, NodeId origin) {
    Image copy = new Image(kind, origin, source.sizeBytes);
    copy.pages.putAll(source.pages);
    return copy;
  }

  void checkWritable() throws Refused {
    if (readOnly) {
      throw new Refused(false);
    }
  }

  synchronized void write(Image image, long offset, byte[] bytes) throws Refused {
    checkWritable();
    int done = 0;
    while (done < bytes.length) {
      long page = (offset + done) / World.PAGE;
      int at = (int) ((offset + done) % World.PAGE);
      int length = Math.min(World.PAGE - at, bytes.length - done);
      byte[] old = image.pages.get(page);
      if (old == null || isShared(image, page, old)) {
        if (freePages == 0) {
          throw new Refused(true);
        }
        freePages--;
      }
      byte[] now = old == null ? new byte[World.PAGE] : old.clone();
      System.arraycopy(bytes, done, now, at, length);
      image.pages.put(page, now);
      done += length;
    }
  }

  private boolean isShared(Image image, long page, byte[] content) {
    return images.values().stream()
        .anyMatch(other -> other != image && other.pages.get(page) == content);
  }

  synchronized byte[] read(Image image, long offset, int length) {
    byte[] bytes = new byte[length];
    int done = 0;
    while (done < length) {
      long page = (offset + done) / World.PAGE;
      int at = (int) ((offset + done) % World.PAGE);
      int part = Math.min(World.PAGE - at, length - done);
      byte[] content = image.pages.get(page);
      if (content != null) {
        System.arraycopy(content, at, bytes, done, part);
      }
      done += part;
    }
    return bytes;
  }

  synchronized void discard(Image image, long offset, long length) {
    image.pages.subMap(offset / World.PAGE, (offset + length) / World.PAGE).clear();
  }

  /** Returns the bytes of pages that no other image has. */
  synchronized long exclusiveBytes(Image image) {
    Set<byte[]> others = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Image other : images.values()) {
      if (other != image) {
        others.addAll(other.pages.values());
      }
    }
    long own = image.pages.values().stream().filter(page -> !others.contains(page)).count();
    return own * World.PAGE;
  }

  /** Removes what a crash left half-made. */
  void discardUnfinished(StepControl.Observer steps) {
    for (String name : images.keySet().toArray(new String[0])) {
      if (name.startsWith(NEW)) {
        steps.before("discard " + name);
        images.remove(name);
      }
    }
  }

  synchronized String traces() {
    StringBuilder traces = new StringBuilder();
    images.forEach(
        (name, image) ->
            traces
                .append(name)
                .append(' ')
                .append(image.kind)
                .append(' ')
                .append(image.sizeBytes)
                .append(' ')
                .append(Arrays.hashCode(image.pages.keySet().toArray()))
                .append('\n'));
    return traces.toString();
  }
}
