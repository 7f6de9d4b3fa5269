// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.root.RootExamination;
import dev.ramet.tck.StorageBackendTck;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults in the examination of a root. */
class WrongExaminationsTest {
  private static final String SAME = "a root must look the same whether it is open or looked at";

  private static final NodeId NOTE = NodeId.of("note");

  /** A root opened for examination. */
  static class Examined extends ReferenceBackend implements StorageInspection {
    Examined(Path root, ReferenceDisk disk) {
      super(root, disk, step -> {});
    }

    @Override
    public void inspect(boolean mend, Consumer<StorageFinding> findings) {
      // The heap is in order.
    }

    @Override
    public Set<String> ownNames() {
      return Set.of("images");
    }
  }

  /** A model whose provider can examine roots. */
  abstract static class Model extends WrongBackend {
    StorageBackend examine(Path root, ReferenceDisk disk) {
      return new Examined(root, disk);
    }

    @Override
    StorageBackendProvider provider(StorageBackendProvider right, Path root, ReferenceDisk disk) {
      return new Looking(right, () -> examine(root, disk));
    }
  }

  private static final class Looking extends ForwardingProvider implements RootExamination {
    private final Supplier<StorageBackend> look;

    Looking(StorageBackendProvider plain, Supplier<StorageBackend> look) {
      super(plain);
      this.look = look;
    }

    @Override
    public StorageBackend examine(ProbeContext where) {
      return look.get();
    }
  }

  private static void expect(Class<?> wrong, String message) {
    Failures.expect(wrong, StorageBackendTck.Examination.class, "aRootThatIsOnlyLookedAt", message);
  }

  @Test
  void oneThatIsRightPasses() {
    Failures.none(Right.class, StorageBackendTck.Examination.class);
  }

  static class Right extends Model {}

  @Test
  void aNodeThatIsNotSeen() {
    expect(HidesOne.class, SAME);
  }

  static class HidesOne extends Model {
    @Override
    StorageBackend examine(Path root, ReferenceDisk disk) {
      return new Examined(root, disk) {
        @Override
        public List<Node> list() {
          return super.list().subList(1, super.list().size());
        }
      };
    }
  }

  @Test
  void usageThatIsMadeUp() {
    expect(ReportsNothing.class, SAME);
  }

  static class ReportsNothing extends Model {
    @Override
    StorageBackend examine(Path root, ReferenceDisk disk) {
      return new Examined(root, disk) {
        @Override
        public Usage usage(NodeId id) {
          super.usage(id);
          return new Usage(0, 0);
        }
      };
    }
  }

  @Test
  void somethingThatIsMadeByTheWay() {
    expect(WritesDown.class, "to look at a root must change nothing in it");
  }

  static class WritesDown extends Model {
    @Override
    StorageBackend examine(Path root, ReferenceDisk disk) {
      return new Examined(root, disk) {
        @Override
        public void inspect(boolean mend, Consumer<StorageFinding> findings) {
          disk.images.putIfAbsent(
              ReferenceDisk.NEW + "note", new ReferenceDisk.Image(Node.Kind.VOLUME, NOTE, 1));
        }
      };
    }
  }

  @Test
  void oneThatLetsOthersIn() {
    expect(LocksNothing.class, "opening a root that somebody looks at must fail with CONFLICT");
  }

  static class LocksNothing extends Model {
    @Override
    StorageBackend examine(Path root, ReferenceDisk disk) {
      Examined examined = new Examined(root, disk);
      disk.inUse = false;
      return examined;
    }
  }

  @Test
  void oneThatCannotBeInspected() {
    expect(InspectsNothing.class, "a root that is looked at can be inspected");
  }

  static class InspectsNothing extends Model {
    @Override
    StorageBackend examine(Path root, ReferenceDisk disk) {
      return new ReferenceBackend(root, disk, step -> {});
    }
  }
}
