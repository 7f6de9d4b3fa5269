// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.VolumeReuse;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the checks of reuse accept what keeps the contract, and detect what does not. */
class ReuseModelsTest {
  /** The reference with snapshots that can be reused, with one method per rule. */
  static class Reusing extends ReferenceBackend implements VolumeReuse {
    Reusing(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      super(root, disk, steps);
    }

    @Override
    public Node reuse(NodeId snapshot, NodeId id) {
      synchronized (disk) {
        Node node =
            find(snapshot).orElseThrow(() -> RametException.notFound("node", "" + snapshot));
        if (!free(id)) {
          throw new RametException(ErrorCode.ALREADY_EXISTS, "the name is taken: " + id);
        }
        if (!sealed(node) || !alone(node)) {
          throw new RametException(ErrorCode.CONFLICT, "cannot be reused: " + node);
        }
        ReferenceDisk.Image image = content(snapshot, id);
        steps.before("reuse");
        disk.images.put(id.value(), image);
        give(snapshot);
        return new Node(id, image.kind, id, image.sizeBytes);
      }
    }

    boolean free(NodeId id) {
      return !disk.images.containsKey(id.value());
    }

    boolean sealed(Node node) {
      return node.kind() == Node.Kind.SNAPSHOT;
    }

    /** Neither has an ancestor nor descendants. */
    boolean alone(Node node) {
      return node.origin().equals(node.id())
          && disk.images.values().stream().filter(o -> o.origin.equals(node.id())).count() == 1;
    }

    ReferenceDisk.Image content(NodeId snapshot, NodeId id) {
      ReferenceDisk.Image old = disk.images.get(snapshot.value());
      ReferenceDisk.Image image =
          new ReferenceDisk.Image(Node.Kind.VOLUME, id, old == null ? 1 : old.sizeBytes);
      if (old != null) {
        image.pages.putAll(old.pages);
      }
      return image;
    }

    void give(NodeId snapshot) {
      disk.images.remove(snapshot.value());
    }
  }

  /** States that it reuses volumes, and does. */
  abstract static class Model extends WrongBackend {
    @Override
    Set<StorageFeature> features(Set<StorageFeature> reference) {
      reference.add(StorageFeature.VOLUME_REUSE);
      return reference;
    }
  }

  @Test
  void whatKeepsTheContractPasses() {
    Failures.none(Right.class, StorageBackendTck.Reuse.class);
    Failures.none(Right.class, StorageBackendTck.Capabilities.class);
  }

  static class Right extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new Reusing(root, disk, steps);
    }
  }

  private static void expect(Class<?> author, String check, String message) {
    Failures.expect(author, StorageBackendTck.Reuse.class, check, message);
  }

  @Test
  void whatOthersNeedIsReused() {
    expect(Relatives.class, "whatOthersDescend", "refuse to reuse a snapshot that has an ancestor");
  }

  static class Relatives extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new Reusing(root, disk, steps) {
        @Override
        boolean alone(Node node) {
          return true;
        }
      };
    }
  }

  @Test
  void whatOthersDescendFromIsReused() {
    expect(Parents.class, "whatOthersDescend", "a snapshot that others descend from");
  }

  static class Parents extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new Reusing(root, disk, steps) {
        @Override
        boolean alone(Node node) {
          return node.origin().equals(node.id());
        }
      };
    }
  }

  @Test
  void aVolumeIsReused() {
    expect(Volumes.class, "whatOthersDescend", "refuse to reuse a volume");
  }

  static class Volumes extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new Reusing(root, disk, steps) {
        @Override
        boolean sealed(Node node) {
          return true;
        }
      };
    }
  }

  @Test
  void aNameIsTakenTwice() {
    expect(Names.class, "whatOthersDescend", "refuse to reuse as a name that is taken");
  }

  static class Names extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new Reusing(root, disk, steps) {
        @Override
        boolean free(NodeId id) {
          return true;
        }
      };
    }
  }

  @Test
  void theContentIsLost() {
    expect(Empty.class, "aSnapshotBecomes", "the volume must hold what the snapshot held");
  }

  static class Empty extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new Reusing(root, disk, steps) {
        @Override
        ReferenceDisk.Image content(NodeId snapshot, NodeId id) {
          ReferenceDisk.Image image = super.content(snapshot, id);
          image.pages.clear();
          return image;
        }
      };
    }
  }

  @Test
  void theSnapshotStays() {
    expect(Copies.class, "aSnapshotBecomes", "the snapshot is gone");
  }

  static class Copies extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new Reusing(root, disk, steps) {
        @Override
        void give(NodeId snapshot) {}
      };
    }
  }

  @Test
  void reuseThatIsStatedAndIsNotThere() {
    Failures.expect(
        StatesOnly.class,
        StorageBackendTck.Capabilities.class,
        "whatIsStated",
        "implement it or do not state it");
  }

  static class StatesOnly extends Model {
    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      return new ReferenceBackend(root, disk, steps);
    }
  }

  @Test
  void reuseThatIsThereAndIsNotStated() {
    Failures.expect(
        StatesNothing.class,
        StorageBackendTck.Capabilities.class,
        "whatIsStated",
        "state it, or nobody will use it");
  }

  static class StatesNothing extends Right {
    @Override
    Set<StorageFeature> features(Set<StorageFeature> reference) {
      return reference;
    }
  }
}
