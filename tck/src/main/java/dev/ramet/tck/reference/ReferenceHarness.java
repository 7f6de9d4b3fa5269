// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.image.CopyCost;
import dev.ramet.tck.storage.HostControl;
import dev.ramet.tck.storage.NodeIo;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.tck.storage.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The harness of the reference model, with every feature the kit asks for, in the heap and without
 * privileges.
 */
public class ReferenceHarness implements StorageHarness {
  private final Path root;
  private final ReferenceDisk disk;

  /**
   * Creates a model with an empty disk.
   *
   * @param root an existing directory that represents it; nothing is written there
   */
  public ReferenceHarness(Path root) {
    this(root, new ReferenceDisk());
  }

  ReferenceHarness(Path root, ReferenceDisk disk) {
    this.root = root;
    this.disk = disk;
  }

  /** Opens the model's disk. */
  public StorageBackend open(StepControl.Observer observer) {
    return new ReferenceBackend(root, disk, observer);
  }

  Set<StorageFeature> features() {
    return Set.of(
        StorageFeature.COPY_PREPARATION, StorageFeature.GROW, StorageFeature.IMAGE_TRANSFER);
  }

  ReferenceDisk medium() {
    return disk;
  }

  /** Returns the facts that its provider states. */
  protected StorageFacts facts() {
    return new StorageFacts(CopyCost.CONSTANT, false, false, features());
  }

  /** Returns a node of the disk, whether or not a backend is open, or null if there is none. */
  protected @Nullable Node node(NodeId id) {
    synchronized (disk) {
      ReferenceDisk.Image image = disk.images.get(id.value());
      return image == null ? null : new Node(id, image.kind, image.origin, image.sizeBytes);
    }
  }

  @Override
  public StorageBackendProvider provider() {
    return new StorageBackendProvider() {
      @Override
      public String id() {
        return "reference";
      }

      @Override
      public StorageFacts atBest() {
        return facts();
      }

      @Override
      public ProbeResult probe(ProbeContext where) {
        if (!Files.isDirectory(where.root())) {
          return new ProbeResult.Unusable(
              "no such directory", where.root() + " is not there", "make it");
        }
        if (disk.readOnly) {
          return new ProbeResult.Unusable("read-only", "nothing can be written", "allow writing");
        }
        if (disk.freePages == 0) {
          return new ProbeResult.Unusable("no space left", "no page is free", "delete", true);
        }
        return new ProbeResult.Usable(atBest(), Map.of("kept-in", "the heap"));
      }

      @Override
      public StorageBackend open(ProbeContext where) {
        return ReferenceHarness.this.open(step -> {});
      }
    };
  }

  @Override
  public Path root() {
    return root;
  }

  @Override
  public NodeIo io() {
    return new NodeIo() {
      @Override
      public byte[] read(Attachment node, long offset, int lengthBytes) {
        return disk.read(image(node), offset, lengthBytes);
      }

      @Override
      public void write(Attachment node, long offset, byte[] bytes) throws IOException {
        try {
          disk.write(image(node), offset, bytes);
        } catch (ReferenceDisk.Refused e) {
          throw new IOException(e);
        }
      }

      @Override
      public void discard(Attachment node, long offset, long lengthBytes) {
        disk.discard(image(node), offset, lengthBytes);
      }
    };
  }

  private ReferenceDisk.Image image(Attachment node) {
    synchronized (disk) {
      String name = String.valueOf(node.path().getFileName());
      ReferenceDisk.@Nullable Image image = disk.images.get(name);
      if (image == null) {
        throw new RametException(ErrorCode.NOT_FOUND, "no such image: " + name);
      }
      return image;
    }
  }

  @Override
  public String traces() {
    return disk.traces();
  }

  @Override
  public Optional<HostControl> host() {
    return Optional.of(
        new HostControl() {
          @Override
          public void fill(long keepBytes) {
            disk.freePages = keepBytes / World.PAGE;
          }

          @Override
          public void unfill() {
            disk.freePages = Long.MAX_VALUE;
          }

          @Override
          public void readOnly(boolean on) {
            disk.readOnly = on;
          }
        });
  }

  @Override
  public Optional<StepControl> steps() {
    return Optional.of(this::open);
  }

  @Override
  public boolean outlivesProcess() {
    return false;
  }

  @Override
  public void close() {
    // The garbage collector frees it.
  }
}
