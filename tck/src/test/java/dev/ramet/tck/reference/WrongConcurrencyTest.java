// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Tests that the kit detects a backend that breaks for one thread what it acknowledged to another.
 */
class WrongConcurrencyTest {
  @Test
  void nodesThatAreLostAmongOthers() {
    Failures.expect(
        LosesWhatIsMadeAtOnce.class,
        StorageBackendTck.Concurrency.class,
        "manyThreadsOnFewNames",
        "what was acknowledged must stay");
  }

  /** Acknowledges a copy but loses it if others are being created. */
  static class LosesWhatIsMadeAtOnce extends WrongBackend {
    private final AtomicInteger making = new AtomicInteger();

    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        public Node snapshot(NodeId volume, NodeId id, Durability durability) {
          return losing(() -> super.snapshot(volume, id, durability));
        }

        @Override
        public Node fork(NodeId snapshot, NodeId id, Durability durability) {
          return losing(() -> super.fork(snapshot, id, durability));
        }

        private Node losing(Supplier<Node> call) {
          making.incrementAndGet();
          try {
            Node made = call.get();
            LockSupport.parkNanos(1_000_000);
            if (making.get() > 1) {
              super.delete(made.id());
            }
            return made;
          } finally {
            making.decrementAndGet();
          }
        }
      };
    }
  }

  @Test
  void nodesThatOutliveTheirDeletion() {
    Failures.expect(
        KeepsWhatIsDeleted.class,
        StorageBackendTck.Concurrency.class,
        "manyThreadsOnFewNames",
        "was deleted after it was made");
  }

  /** Deletes nothing, but acknowledges the deletion. */
  static class KeepsWhatIsDeleted extends WrongBackend {
    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        public void delete(NodeId id) {}
      };
    }
  }
}
