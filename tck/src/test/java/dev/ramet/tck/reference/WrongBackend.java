// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import java.nio.file.Path;

/** The kit for a faulty reference backend on a correct disk. */
abstract class WrongBackend extends StorageBackendTck {
  /** Opens it. */
  abstract ReferenceBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer);

  @Override
  protected StorageHarness harness(Path scratch) {
    ReferenceDisk disk = new ReferenceDisk();
    return new ReferenceHarness(scratch, disk) {
      @Override
      public ReferenceBackend open(StepControl.Observer observer) {
        return WrongBackend.this.open(scratch, disk, observer);
      }
    };
  }
}
