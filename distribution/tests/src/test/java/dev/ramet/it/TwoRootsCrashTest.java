// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import org.jspecify.annotations.Nullable;

/** Tests crashes with disks and memory images on different file systems. */
final class TwoRootsCrashTest extends CrashContract {
  private @Nullable TwoFileSystems places;

  @Override
  Ground make() throws Exception {
    TwoFileSystems made = TwoFileSystems.xfsAndBtrfs();
    places = made;
    return Ground.make(made.disks(), made.memory());
  }

  @Override
  void unmake() throws Exception {
    if (places != null) {
      places.close();
    }
  }
}
