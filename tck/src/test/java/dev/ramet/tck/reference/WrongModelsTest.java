// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults of a backend and says how to fix them. */
class WrongModelsTest {
  @Test
  void copiesThatAreNotIsolated() {
    Failures.expect(
        LosesIsolation.class,
        StorageBackendTck.Isolation.class,
        "everyKindOfWriteStays",
        "a write must reach one node only");
  }

  static class LosesIsolation extends WrongBackend {
    @Override
    ReferenceDisk disk() {
      return new ReferenceDisk() {
        @Override
        Image copy(Image source, Node.Kind kind, NodeId origin) {
          return source;
        }
      };
    }
  }

  @Test
  void failuresThatLeak() {
    Failures.expect(
        LeaksOnFailure.class,
        StorageBackendTck.Host.class,
        "aFullDiskLeavesNothing",
        "left something behind: undo it");
    Failures.expect(
        LeaksOnFailure.class,
        StorageBackendTck.Transfers.class,
        "aCopyStopsWhen",
        "undo what was done before the failure");
  }

  static class LeaksOnFailure extends WrongBackend {
    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        void undo(String unfinished) {}
      };
    }
  }

  @Test
  void anOkForWhatWasNotDone() {
    Failures.expect(
        AnswersOk.class,
        StorageBackendTck.Transfers.class,
        "aCopyStopsWhen",
        "refuse what cannot be done");
    Failures.expect(
        AnswersOk.class,
        StorageBackendTck.Transfers.class,
        "anImageIsNeverTaken",
        "a raw image is no qcow2 image: refuse it");
    Failures.expect(
        AnswersOk.class,
        StorageBackendTck.Nodes.class,
        "whatIsAbsentOrOf",
        "refuse what cannot be done");
  }

  static class AnswersOk extends WrongBackend {
    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
          return super.importFrom(id, source, ImageFormat.RAW, CopyProgress.NONE);
        }

        @Override
        public void flush(NodeId id) {}

        @Override
        public Node fork(NodeId snapshot, NodeId id, Durability durability) {
          return find(snapshot).isPresent() ? super.fork(snapshot, id, durability) : create(id, 1);
        }
      };
    }
  }

  @Test
  void residuesOfACrash() {
    Failures.expect(
        IgnoresResidues.class,
        StorageBackendTck.Crashes.class,
        "aKillAtAnyStep",
        "clear it away in open()");
    Failures.expect(
        IgnoresResidues.class,
        StorageBackendTck.Crashes.class,
        "noAcknowledged",
        "remove what a failed or interrupted operation");
  }

  static class IgnoresResidues extends WrongBackend {
    @Override
    ReferenceDisk disk() {
      return new ReferenceDisk() {
        @Override
        void discardUnfinished(StepControl.Observer steps) {}
      };
    }
  }

  @Test
  void aCrashThatShowsAHalfMadeNode() {
    Failures.expect(
        PublishesEarly.class,
        StorageBackendTck.Crashes.class,
        "aKillAtAnyStep",
        "must be done or not done");
  }

  static class PublishesEarly extends WrongBackend {
    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
          create(id, 4096);
          observer.before("fill in place");
          delete(id);
          return super.importFrom(id, source, format, progress);
        }
      };
    }
  }

  @Test
  void moreIsStatedThanIsThere() {
    Failures.expect(
        StatesTooMuch.class,
        StorageBackendTck.Capabilities.class,
        "whatIsStated",
        "implement it or do not state it");
    Failures.expect(
        CopiesEverything.class,
        StorageBackendTck.Capabilities.class,
        "copyOnWriteShows",
        "share blocks, or do not state it");
  }

  static class StatesTooMuch extends WrongBackend {
    @Override
    Set<StorageFeature> features(Set<StorageFeature> reference) {
      reference.add(StorageFeature.DIRECTORY_SNAPSHOTS);
      return reference;
    }
  }

  static class CopiesEverything extends WrongBackend {
    @Override
    ReferenceDisk disk() {
      return new ReferenceDisk() {
        @Override
        Image copy(Image source, Node.Kind kind, NodeId origin) {
          Image copy = super.copy(source, kind, origin);
          copy.pages.replaceAll((page, content) -> content.clone());
          return copy;
        }
      };
    }
  }

  @Test
  void lessIsStatedThanIsThere() {
    Failures.expect(
        StatesTooLittle.class,
        StorageBackendTck.Capabilities.class,
        "whatIsStated",
        "state it, or nobody will use it");
  }

  static class StatesTooLittle extends WrongBackend {
    @Override
    Set<StorageFeature> features(Set<StorageFeature> reference) {
      return Set.of();
    }
  }

  @Test
  void usageThatIsMadeUp() {
    Failures.expect(
        ReportsNothing.class,
        StorageBackendTck.Capabilities.class,
        "usageTells",
        "what a volume with 1 MiB of data refers to");
  }

  static class ReportsNothing extends WrongBackend {
    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        public Usage usage(NodeId id) {
          super.usage(id);
          return new Usage(0, 0);
        }
      };
    }
  }

  @Test
  void aFullDiskThatIsCalledADefect() {
    Failures.expect(
        FailsWhenFull.class,
        StorageBackendTck.Host.class,
        "aFullDiskKeepsNobody",
        "a full disk is no defect");
  }

  static class FailsWhenFull extends WrongBackend {
    @Override
    StorageBackendProvider provider(StorageBackendProvider right, Path root, ReferenceDisk disk) {
      return new ForwardingProvider(right) {
        @Override
        public ProbeResult probe(ProbeContext where) {
          return disk.freePages == 0
              ? new ProbeResult.Failed(new IllegalStateException("full"))
              : super.probe(where);
        }
      };
    }
  }
}
