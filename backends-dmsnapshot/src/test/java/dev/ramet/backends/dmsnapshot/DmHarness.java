// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.tck.storage.HostControl;
import dev.ramet.tck.storage.NodeIo;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A separate root on an ext4 file system that many checks share, with real devices. */
final class DmHarness implements StorageHarness {
  private final LoopFs fs;
  private final Path root;

  DmHarness(LoopFs fs) throws IOException {
    this.fs = fs;
    this.root = Files.createDirectory(fs.root().resolve(UUID.randomUUID().toString()));
  }

  @Override
  public StorageBackendProvider provider() {
    return new SettledProvider();
  }

  @Override
  public Path root() {
    return root;
  }

  /**
   * Returns names and permissions of all files, and the number of devices. Omits the lengths of
   * layers, which the backend may choose and which depend on the free space.
   */
  @Override
  public String traces() {
    SettledProvider.settle(root);
    String files = StorageHarness.super.traces();
    try {
      return files.replaceAll("(?m)^(layers/.*) [0-9]+ ", "$1 ") + "\n" + Root.devices().size();
    } catch (LinuxException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public NodeIo io() {
    return new NodeIo() {
      @Override
      public byte[] read(Attachment node, long offset, int lengthBytes) throws IOException {
        return NodeIo.FILES.read(node, offset, lengthBytes);
      }

      @Override
      public void write(Attachment node, long offset, byte[] bytes) throws IOException {
        NodeIo.FILES.write(node, offset, bytes);
      }

      /**
       * Writes zeros if discarding fails: a store cannot discard, and a hypervisor that must have
       * zeros writes them too.
       */
      @Override
      public void discard(Attachment node, long offset, long lengthBytes) throws IOException {
        try {
          NodeIo.FILES.discard(node, offset, lengthBytes);
        } catch (IOException store) {
          NodeIo.FILES.write(node, offset, new byte[(int) lengthBytes]);
        }
      }
    };
  }

  @Override
  public Optional<HostControl> host() {
    return Optional.of(
        new HostControl() {
          @Override
          public void fill(long keepBytes) throws IOException {
            fs.fill(keepBytes);
          }

          @Override
          public void unfill() throws IOException {
            fs.unfill();
          }

          /**
           * Makes the root read-only by a mount over it, because the file system itself cannot
           * change under devices. The mount is made read-only at another path, where nobody opens a
           * file for writing meanwhile.
           */
          @Override
          public void readOnly(boolean on) throws IOException {
            Path aside = Path.of(root + ".ro");
            if (on) {
              Files.createDirectory(aside);
              LoopFs.run(List.of("mount", "--bind", root.toString(), aside.toString()));
              LoopFs.run(List.of("mount", "--make-private", aside.toString()));
              LoopFs.run(List.of("mount", "-o", "remount,bind,ro", aside.toString()));
              LoopFs.run(List.of("mount", "--bind", aside.toString(), root.toString()));
            } else {
              // Lazily, so that a process looking into it at this moment does not keep it mounted.
              LoopFs.run(List.of("umount", "-l", root.toString()));
              LoopFs.run(List.of("umount", aside.toString()));
              Files.delete(aside);
            }
          }
        });
  }

  @Override
  public Optional<StepControl> steps() {
    return Optional.of(
        new StepControl() {
          @Override
          public StorageBackend open(Observer observer) {
            Steps steps = observer::before;
            return DmSnapshotProvider.open(root, SettledProvider.FAST, 0, steps);
          }

          @Override
          public void abandon(StorageBackend dead) {
            ((DmSnapshotBackend) dead).abandon();
          }
        });
  }

  @Override
  public void close() {
    SettledProvider.forget(root);
    LoopFs.run(List.of("rm", "-rf", "--one-file-system", root.toString()));
  }
}
