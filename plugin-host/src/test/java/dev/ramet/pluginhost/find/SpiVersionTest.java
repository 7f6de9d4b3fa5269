// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class SpiVersionTest {
  @Test
  void comparesVersionsOfTheContracts() {
    assertTrue(runs("0.1.0-SNAPSHOT", "0.1.7"));
    assertFalse(runs("0.2.0", "0.1.0"));
    assertFalse(runs("0.1.0", "0.2.0"));
    assertTrue(runs("1.3.0", "1.0.0"));
    assertFalse(runs("1.3.0", "1.4.0"));
    assertFalse(runs("2.0", "1.4.0"));
    assertTrue(SpiVersion.parse("one").isEmpty());
    assertTrue(SpiVersion.parse("").isEmpty());
  }

  private static boolean runs(String host, String built) {
    return SpiVersion.parse(host).orElseThrow().supports(SpiVersion.parse(built).orElseThrow());
  }
}
