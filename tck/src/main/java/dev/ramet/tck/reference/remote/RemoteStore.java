// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.tck.reference.FaultHandlers;
import dev.ramet.tck.storage.NodeIo;
import dev.ramet.tck.storage.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The images as this host sees them: a distant disk, and the record of the pages that have not been
 * fetched from it. Outlives the backends that are opened on it, as a server of images does.
 * Thread-safe.
 */
class RemoteStore {
  private static final int PAGE = World.PAGE;

  private final Path root;
  private final NodeIo distant;
  private final Function<NodeId, @Nullable Node> nodes;

  /** The pages of nodes that are not here; a node that is missing is here as a whole. */
  private final Map<NodeId, BitSet> away = new HashMap<>();

  /**
   * Creates a store in which everything is here.
   *
   * @param distant accesses the distant disk by local attachments below {@code root}
   * @param nodes finds nodes there
   */
  RemoteStore(Path root, NodeIo distant, Function<NodeId, @Nullable Node> nodes) {
    this.root = root;
    this.distant = distant;
    this.nodes = nodes;
  }

  private Attachment there(NodeId id) {
    return new Attachment.LocalFile(root.resolve(id.value()), false);
  }

  private static int page(long offset) {
    return (int) (offset / PAGE);
  }

  /** Gives up all of a node that is here. */
  synchronized void forget(NodeId id) {
    Node node = nodes.apply(id);
    if (node != null) {
      BitSet pages = new BitSet();
      pages.set(0, page(node.sizeBytes() + PAGE - 1));
      away.put(id, pages);
    }
  }

  /** Notes that a node begins with the content of another, of which the same parts are here. */
  synchronized void copied(NodeId from, NodeId to) {
    BitSet pages = away.get(from);
    if (pages == null) {
      away.remove(to);
    } else {
      away.put(to, (BitSet) pages.clone());
    }
  }

  /** Notes that a node is gone, or is new. */
  synchronized void clear(NodeId id) {
    away.remove(id);
  }

  /** Returns how many of a node's bytes are here. */
  synchronized long residentBytes(Node node) {
    BitSet pages = away.get(node.id());
    long missing = pages == null ? 0 : (long) pages.cardinality() * PAGE;
    return Math.max(0, node.sizeBytes() - missing);
  }

  /** Fetches the pages that touch a range. */
  synchronized void fetch(NodeId id, long offset, long lengthBytes) {
    BitSet pages = away.get(id);
    if (pages != null && lengthBytes > 0) {
      long last = offset + lengthBytes - 1;
      int end = (int) Math.min(page(last) + 1L, pages.length());
      if (page(offset) < end) {
        pages.clear(page(offset), end);
      }
    }
  }

  /** Reads a range, after fetching it. */
  byte[] read(NodeId id, long offset, int lengthBytes) throws IOException {
    fetch(id, offset, lengthBytes);
    return distant.read(there(id), offset, lengthBytes);
  }

  private void write(NodeId id, long offset, byte[] bytes) throws IOException {
    fetch(id, offset, bytes.length);
    distant.write(there(id), offset, bytes);
  }

  /** Makes a range zero: whole pages by freeing them, the edges by writing. */
  private void discard(NodeId id, long offset, long lengthBytes) throws IOException {
    long end = offset + lengthBytes;
    long first = Math.min(end, (offset + PAGE - 1) / PAGE * PAGE);
    long last = Math.max(first, end / PAGE * PAGE);
    if (offset < first) {
      write(id, offset, new byte[(int) (first - offset)]);
    }
    if (first < last) {
      fetch(id, first, last - first);
      distant.discard(there(id), first, last - first);
    }
    if (last < end) {
      write(id, last, new byte[(int) (end - last)]);
    }
  }

  /** Returns a node as an NBD server hands it out, or null if there is none. */
  @Nullable NbdExport export(String name) {
    Node node = NodeId.isValid(name) ? nodes.apply(NodeId.of(name)) : null;
    if (node == null) {
      return null;
    }
    NodeId id = node.id();
    return new NbdExport() {
      @Override
      public long sizeBytes() {
        return node.sizeBytes();
      }

      @Override
      public boolean readOnly() {
        return node.kind() == Node.Kind.SNAPSHOT;
      }

      @Override
      public byte[] read(long offset, int lengthBytes) throws IOException {
        return RemoteStore.this.read(id, offset, lengthBytes);
      }

      @Override
      public void write(long offset, byte[] bytes) throws IOException {
        RemoteStore.this.write(id, offset, bytes);
      }

      @Override
      public void discard(long offset, long lengthBytes) throws IOException {
        RemoteStore.this.discard(id, offset, lengthBytes);
      }

      @Override
      public void flush() {
        // The distant disk keeps every write at once.
      }
    };
  }

  /** Returns a node's pages as a fault handler fills them. */
  FaultHandlers.Pages pages(Node node) {
    return new FaultHandlers.Pages() {
      @Override
      public long sizeBytes() {
        return node.sizeBytes();
      }

      @Override
      public byte[] page(long imageOffset) {
        try {
          return read(node.id(), imageOffset, PAGE);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }
}
