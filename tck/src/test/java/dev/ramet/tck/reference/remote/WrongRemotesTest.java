// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.reference.Failures;
import dev.ramet.tck.storage.NodeIo;
import dev.ramet.tck.storage.StorageHarness;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults of a backend whose images are elsewhere. */
class WrongRemotesTest {
  private static final Class<?> REMOTE = StorageBackendTck.Remote.class;

  abstract static class Wrong extends StorageBackendTck {
    abstract RemoteStore store(Path root, NodeIo distant, RemoteHarness harness);

    @Override
    protected StorageHarness harness(Path scratch) throws IOException {
      return new RemoteHarness(scratch) {
        @Override
        RemoteStore store(Path root, NodeIo distant) {
          return Wrong.this.store(root, distant, this);
        }
      }.start();
    }
  }

  @Test
  void pagesThatAreAwayReadAsZeros() {
    Failures.expect(ReadsZeros.class, REMOTE, "whatWasForgotten", "was read as something else");
    Failures.expect(
        ReadsZeros.class, REMOTE, "faultsAreFilled", "filled with something else than its content");
  }

  static class ReadsZeros extends Wrong {
    @Override
    RemoteStore store(Path root, NodeIo distant, RemoteHarness harness) {
      return new RemoteStore(root, distant, harness::find) {
        @Override
        byte[] read(NodeId id, long offset, int lengthBytes) throws IOException {
          Node node = harness.find(id);
          boolean away = node != null && residentBytes(node) < node.sizeBytes();
          byte[] bytes = super.read(id, offset, lengthBytes);
          return away ? new byte[lengthBytes] : bytes;
        }
      };
    }
  }

  @Test
  void readingThatIsNotCounted() {
    Failures.expect(
        CountsNothing.class, REMOTE, "whatWasForgotten", "must be seen in residentBytes()");
    Failures.expect(CountsNothing.class, REMOTE, "prefetching", "a page was prefetched");
  }

  static class CountsNothing extends Wrong {
    @Override
    RemoteStore store(Path root, NodeIo distant, RemoteHarness harness) {
      return new RemoteStore(root, distant, harness::find) {
        @Override
        synchronized void fetch(NodeId id, long offset, long lengthBytes) {}
      };
    }
  }

  @Test
  void attachmentsThatAreNotStated() {
    Failures.expect(
        StatesFiles.class, REMOTE, "onlyTheStatedKinds", "of a kind that the facts do not state");
  }

  static class StatesFiles extends StorageBackendTck {
    @Override
    protected StorageHarness harness(Path scratch) throws IOException {
      return new RemoteHarness(scratch) {
        @Override
        protected StorageFacts facts() {
          return super.facts().attaching(Attachment.Kind.FILE);
        }
      }.start();
    }
  }
}
