// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.testing.Features;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the same as {@link FullStorageTest} for guests whose disks are device-mapper volumes. */
final class FullDevicesTest {
  @Test
  @Timeout(900)
  void aWritingGuestOnADeviceStandsStillAndGoesOn() throws Exception {
    Features.deviceMapper();
    FullStorageTest.standsStillAndGoesOn(FullStorageGround.Kind.DM_SNAPSHOT);
  }
}
