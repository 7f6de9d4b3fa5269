// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The contract of storage backends implemented in the heap: the simplest code that keeps it, with
 * one lock around everything. Read it alongside the contract, or use it in tests of code that uses
 * a backend: its attachments are not files, so only {@link ReferenceHarness#io} can open them.
 *
 * <p>An operation reserves its name under a prefix that open() discards, does its work there, and
 * publishes the result by one change of name: a kill between any two steps leaves it done or not
 * done.
 */
public class ReferenceBackend implements StorageBackend, Growable, ImageTransfer, CopyPreparation {
  private final Path root;
  final ReferenceDisk disk;
  final StepControl.Observer steps;
  private boolean closed;

  ReferenceBackend(Path root, ReferenceDisk disk, StepControl.Observer steps) {
    this.root = root;
    this.disk = disk;
    this.steps = steps;
    synchronized (disk) {
      if (disk.inUse) {
        throw new RametException(
            ErrorCode.CONFLICT, "the root is open already", "close it first", null);
      }
      disk.discardUnfinished(steps);
      disk.inUse = true;
    }
  }

  /** Opens the disk of a harness, for a backend that extends this one. */
  protected ReferenceBackend(ReferenceHarness harness, StepControl.Observer steps) {
    this(harness.root(), harness.medium(), steps);
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    if (sizeBytes <= 0) {
      throw RametException.invalid("size", "must be positive");
    }
    return make(id, new ReferenceDisk.Image(Node.Kind.VOLUME, id, sizeBytes), image -> {});
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    return importFrom(id, source, ImageFormat.RAW, CopyProgress.NONE);
  }

  @Override
  public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
    if (format != ImageFormat.RAW) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "only raw images are read: " + source, "convert it", null);
    }
    long size = ReferenceImages.sizeOf(source);
    return make(
        id,
        new ReferenceDisk.Image(Node.Kind.VOLUME, id, size),
        image -> ReferenceImages.read(source, disk, image, progress));
  }

  @Override
  public void exportTo(NodeId id, Path target, CopyProgress progress) {
    synchronized (disk) {
      ReferenceImages.write(disk, present(id), target, progress);
    }
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    synchronized (disk) {
      ReferenceDisk.Image source = present(volume);
      return make(id, disk.copy(source, Node.Kind.SNAPSHOT, source.origin), image -> {});
    }
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    synchronized (disk) {
      ReferenceDisk.Image source = present(snapshot);
      if (source.kind != Node.Kind.SNAPSHOT) {
        throw new RametException(ErrorCode.CONFLICT, "only a snapshot can be forked: " + snapshot);
      }
      return make(id, disk.copy(source, Node.Kind.VOLUME, id), image -> {});
    }
  }

  /** Copies cost nothing here, so there is nothing to prepare. */
  @Override
  public void prepare(NodeId source, double share) {
    if (!(share > 0 && share <= 1)) {
      throw RametException.invalid("share", "must be above 0 and at most 1");
    }
    synchronized (disk) {
      present(source);
    }
  }

  @Override
  public void discard(NodeId source) {
    checkOpen();
  }

  /** Fills an unfinished image. */
  interface Work {
    void on(ReferenceDisk.Image image) throws ReferenceDisk.Refused, IOException;
  }

  private Node make(NodeId id, ReferenceDisk.Image image, Work work) {
    synchronized (disk) {
      checkOpen();
      if (disk.isTaken(id, image.origin)) {
        throw new RametException(ErrorCode.ALREADY_EXISTS, "the name is taken: " + id);
      }
      String unfinished = ReferenceDisk.NEW + id;
      boolean done = false;
      try {
        disk.checkWritable();
        steps.before("make");
        disk.images.put(unfinished, image);
        steps.before("fill");
        work.on(image);
        steps.before("publish");
        disk.images.remove(unfinished);
        disk.images.put(id.value(), image);
        done = true;
        return image.node(id);
      } catch (ReferenceDisk.Refused | IOException e) {
        throw failure("make " + id, e);
      } finally {
        if (!done) {
          undo(unfinished);
        }
      }
    }
  }

  /** Removes what a failed operation has created. */
  void undo(String unfinished) {
    steps.before("undo");
    disk.images.remove(unfinished);
  }

  private RametException failure(String doing, Exception e) {
    boolean full = e instanceof ReferenceDisk.Refused refused && refused.full;
    return new RametException(
        full ? ErrorCode.NO_SPACE : ErrorCode.HOST_UNFIT,
        "cannot " + doing + ": " + e.getMessage() + " on " + root,
        full ? "delete something" : "allow writing",
        e);
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    return change(
        volume,
        image -> {
          if (image.kind == Node.Kind.VOLUME) {
            disk.checkWritable();
            steps.before("seal");
            image.kind = Node.Kind.SNAPSHOT;
          }
        });
  }

  @Override
  public Node grow(NodeId volume, long newSizeBytes) {
    return change(
        volume,
        image -> {
          if (image.kind != Node.Kind.VOLUME) {
            throw new RametException(ErrorCode.CONFLICT, "a snapshot does not grow: " + volume);
          }
          if (newSizeBytes < image.sizeBytes || newSizeBytes > Long.MAX_VALUE / 2) {
            throw RametException.invalid("size", "must be at least the present one");
          }
          disk.checkWritable();
          steps.before("grow");
          image.sizeBytes = newSizeBytes;
        });
  }

  private Node change(NodeId id, Work work) {
    synchronized (disk) {
      ReferenceDisk.Image image = present(id);
      try {
        work.on(image);
        return image.node(id);
      } catch (ReferenceDisk.Refused | IOException e) {
        throw failure("change " + id, e);
      }
    }
  }

  @Override
  public Attachment attach(NodeId id) {
    synchronized (disk) {
      ReferenceDisk.Image image = present(id);
      return new Attachment.LocalFile(
          root.toAbsolutePath().resolve(id.value()), image.kind == Node.Kind.SNAPSHOT);
    }
  }

  @Override
  public void flush(NodeId id) {
    synchronized (disk) {
      present(id);
    }
  }

  @Override
  public void delete(NodeId id) {
    synchronized (disk) {
      checkOpen();
      if (disk.images.containsKey(id.value())) {
        try {
          disk.checkWritable();
        } catch (ReferenceDisk.Refused e) {
          throw failure("delete " + id, e);
        }
        steps.before("delete");
        disk.images.remove(id.value());
      }
    }
  }

  @Override
  public Optional<Node> find(NodeId id) {
    synchronized (disk) {
      checkOpen();
      ReferenceDisk.Image image = disk.images.get(id.value());
      return image == null ? Optional.empty() : Optional.of(image.node(id));
    }
  }

  @Override
  public List<Node> list() {
    synchronized (disk) {
      checkOpen();
      return disk.nodes();
    }
  }

  @Override
  public Usage usage(NodeId id) {
    synchronized (disk) {
      ReferenceDisk.Image image = present(id);
      return new Usage(disk.exclusiveBytes(image), (long) image.pages.size() * World.PAGE);
    }
  }

  @Override
  public void close() {
    synchronized (disk) {
      if (!closed) {
        closed = true;
        disk.inUse = false;
      }
    }
  }

  private ReferenceDisk.Image present(NodeId id) {
    checkOpen();
    ReferenceDisk.@Nullable Image image = disk.images.get(id.value());
    if (image == null) {
      throw RametException.notFound("node", id.value());
    }
    return image;
  }

  private void checkOpen() {
    if (closed) {
      throw new RametException(ErrorCode.UNAVAILABLE, "closed: " + root);
    }
  }
}
