// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.World;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects what a backend damages on a full disk. */
class WrongFullDisksTest {
  @Test
  void aFullDiskThatCostsMoreThanWhatDoesNotFit() {
    Failures.expect(
        TearsWhatDoesNotFit.class,
        StorageBackendTck.Host.class,
        "aFullDiskLeavesNothing",
        "must leave the old or the new");
    Failures.expect(
        GrowsByHalf.class,
        StorageBackendTck.Host.class,
        "aFullDiskLeavesNothing",
        "grow failed and changed the list of nodes");
    Failures.expect(
        DoesNotSayWhere.class,
        StorageBackendTck.Host.class,
        "aFullDiskLeavesNothing",
        "say which file system is full");
  }

  static class TearsWhatDoesNotFit extends WrongBackend {
    @Override
    ReferenceDisk disk() {
      return new ReferenceDisk() {
        @Override
        synchronized void write(Image image, long offset, byte[] bytes) throws Refused {
          try {
            super.write(image, offset, bytes);
          } catch (Refused e) {
            image.pages.put(offset / World.PAGE, new byte[World.PAGE]);
            throw e;
          }
        }
      };
    }
  }

  static class GrowsByHalf extends WrongBackend {
    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        public Node grow(NodeId volume, long newSizeBytes) {
          Node grown = super.grow(volume, newSizeBytes);
          if (disk.freePages == 0) {
            throw new RametException(
                ErrorCode.NO_SPACE, "no space left on " + root, "delete something", null);
          }
          return grown;
        }
      };
    }
  }

  static class DoesNotSayWhere extends WrongBackend {
    @Override
    ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new ReferenceBackend(root, disk, observer) {
        @Override
        public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
          try {
            return super.importFrom(id, source, format, progress);
          } catch (RametException e) {
            throw new RametException(e.code(), "no space left on the disk", e.remedy(), e);
          }
        }
      };
    }
  }
}
