// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RemoteImages;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import dev.ramet.tck.reference.FaultHandlers;
import dev.ramet.tck.reference.ReferenceBackend;
import dev.ramet.tck.storage.StepControl;
import java.nio.file.Path;

/**
 * The reference backend with its images at a distance: nothing of them has a path on this host.
 * Thread-safe.
 */
class RemoteBackend extends ReferenceBackend implements RemoteImages {
  private final RemoteHarness place;
  private final RemoteStore store;

  RemoteBackend(RemoteHarness place, RemoteStore store, StepControl.Observer steps) {
    super(place, steps);
    this.place = place;
    this.store = store;
  }

  @Override
  public Attachment attach(NodeId id) {
    boolean readOnly = super.attach(id).readOnly();
    return new Attachment.Socket(place.nbdSocket(), Attachment.Protocol.NBD, id.value(), readOnly);
  }

  @Override
  public MemorySource.FaultHandler attachMemory(NodeId snapshot) {
    Node node = present(snapshot);
    if (node.kind() != Node.Kind.SNAPSHOT) {
      throw new RametException(
          ErrorCode.CONFLICT, "its content may still change: " + snapshot, "seal it", null);
    }
    return FaultHandlers.serve(faults(snapshot), store.pages(node));
  }

  private Path faults(NodeId id) {
    return place.sockets().resolve("faults-" + id);
  }

  @Override
  public void prefetch(NodeId id, long offset, long lengthBytes) {
    Node node = present(id);
    if (offset < 0 || lengthBytes < 0) {
      throw RametException.invalid(offset < 0 ? "offset" : "lengthBytes", "must not be negative");
    }
    if (offset < node.sizeBytes()) {
      store.fetch(id, offset, Math.min(lengthBytes, node.sizeBytes() - offset));
    }
  }

  @Override
  public long residentBytes(NodeId id) {
    return store.residentBytes(present(id));
  }

  private Node present(NodeId id) {
    return find(id).orElseThrow(() -> RametException.notFound("node", id.value()));
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    Node made = super.create(id, sizeBytes);
    store.clear(id);
    return made;
  }

  /** Sends the image away and keeps nothing of it here. */
  @Override
  public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
    Node made = super.importFrom(id, source, format, progress);
    store.forget(id);
    return made;
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    Node made = super.snapshot(volume, id, durability);
    store.copied(volume, id);
    return made;
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    Node made = super.fork(snapshot, id, durability);
    store.copied(snapshot, id);
    return made;
  }

  @Override
  public void delete(NodeId id) {
    super.delete(id);
    store.clear(id);
    FaultHandlers.end(faults(id));
  }
}
