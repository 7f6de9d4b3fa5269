// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class NamePatternTest {
  @Test
  void anAsteriskStandsForTheNamesBelow() {
    NamePattern wild = NamePattern.parse("*.Wild.test.");
    assertTrue(wild.matches("a.wild.test"));
    assertTrue(wild.matches("a.b.wild.test"));
    assertFalse(wild.matches("wild.test"));
    assertFalse(wild.matches("awild.test"));
  }

  @Test
  void aNameStandsForItselfAlone() {
    NamePattern name = NamePattern.parse("More.test");
    assertTrue(name.matches("more.test"));
    assertFalse(name.matches("x.more.test"));
    assertFalse(NamePattern.parse("").matches(""));
  }
}
