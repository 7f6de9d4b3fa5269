// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.AccessControl.Auth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BindGuardTest {
  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  void refusesToBeReachedByOthersWithoutKeys(String address) {
    assertFalse(Loopback.isLoopbackOnly(address));
    RametException refused =
        assertThrows(RametException.class, () -> BindGuard.check(address, Auth.OFF));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertNotNull(refused.remedy());
    assertDoesNotThrow(() -> BindGuard.check(address, Auth.AUTO));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "localhost"})
  void acceptsLoopback(String address) {
    assertTrue(Loopback.isLoopbackOnly(address));
    assertDoesNotThrow(() -> BindGuard.check(address, Auth.OFF));
  }

  @Test
  void refusesWhatIsNoAddress() {
    RametException refused =
        assertThrows(RametException.class, () -> Loopback.isLoopbackOnly("no.such.host.invalid"));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
  }
}
