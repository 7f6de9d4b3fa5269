// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.forward;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.RametException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PortPairTest {
  @Test
  void onePortStandsForBoth() {
    assertEquals(new PortPair(8080, 8080), PortPair.parse("8080"));
    assertEquals(new PortPair(8080, 80), PortPair.parse("8080:80"));
    assertEquals(new PortPair(0, 80), PortPair.parse(":80"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ":", "0:0", "80:", "65536", "a:1", "-1", "+80", "1:2:3", "8 0"})
  void nonsenseIsRefused(String text) {
    assertThrows(RametException.class, () -> PortPair.parse(text));
  }
}
