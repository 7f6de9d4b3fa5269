// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** The kit for a reference backend with one fault: a subclass overrides the faulty part. */
abstract class WrongBackend extends StorageBackendTck {
  /** Makes the disk below it. */
  ReferenceDisk disk() {
    return new ReferenceDisk();
  }

  /** Opens it. */
  StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
    return new ReferenceBackend(root, disk, observer);
  }

  /**
   * Returns the features that its probe states.
   *
   * @param reference those of the reference, which may be changed
   */
  Set<StorageFeature> features(Set<StorageFeature> reference) {
    return reference;
  }

  /**
   * Returns its provider.
   *
   * @param right one that opens this backend and states these features
   */
  StorageBackendProvider provider(StorageBackendProvider right, Path root, ReferenceDisk disk) {
    return right;
  }

  @Override
  protected StorageHarness harness(Path scratch) {
    ReferenceDisk disk = disk();
    return new ReferenceHarness(scratch, disk) {
      @Override
      public StorageBackend open(StepControl.Observer observer) {
        return WrongBackend.this.open(scratch, disk, observer);
      }

      @Override
      Set<StorageFeature> features() {
        return WrongBackend.this.features(new HashSet<>(super.features()));
      }

      @Override
      public StorageBackendProvider provider() {
        return WrongBackend.this.provider(super.provider(), scratch, disk);
      }
    };
  }
}
