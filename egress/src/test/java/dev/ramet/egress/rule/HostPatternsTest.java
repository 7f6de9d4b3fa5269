// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which names are some, and which ones a pattern means. */
final class HostPatternsTest {
  @Test
  void aNameIsItselfAndAPatternWhatIsBelow() {
    HostPatterns names = HostPatterns.parse(List.of("a.org", "*.b.org", "localhost"));
    assertTrue(names.matches("a.org"));
    assertFalse(names.matches("x.a.org"));
    assertFalse(names.matches("xa.org"));
    assertTrue(names.matches("x.b.org"));
    assertTrue(names.matches("y.x.b.org"));
    assertFalse(names.matches("b.org"));
    assertFalse(names.matches("xb.org"));
    assertFalse(names.matches("x.b.org.evil"));
    assertTrue(names.matches("localhost"));
    assertTrue(HostPatterns.NONE.isEmpty());
  }

  @Test
  void patternsAreTakenInAnyCase() {
    assertEquals("*.example.org", HostPatterns.pattern("*.Example.ORG"));
    assertEquals("xn--mnchen-3ya.de", HostPatterns.pattern("xn--mnchen-3ya.de"));
    assertEquals("_acme.a.org", HostPatterns.pattern("_acme.a.org"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "*.",
        ".",
        "a..b",
        ".a",
        "a.",
        "*a.org",
        "a.*.org",
        "*.*.org",
        "-a.org",
        "a-.org",
        "a.org:80",
        "a b",
        "http://a.org",
        "a/b",
        "1.2.3.4",
        "1.2.3",
        "127.1",
        "0x7f.1",
        "a.0x10",
        "2130706433",
        "::1",
        "[::1]",
        "a.1",
        "m\u00fcnchen.de",
        "a\n.org",
        "a%2e.org",
        "a@b.org",
      })
  void whatIsNoNameIsNoPattern(String text) {
    assertThrows(IllegalArgumentException.class, () -> HostPatterns.pattern(text));
  }

  @Test
  void namesHaveTheirLengths() {
    String label = "a".repeat(63);
    assertEquals(label, HostPatterns.pattern(label));
    assertNull(HostPatterns.normalize(label + "a"));
    assertNull(HostPatterns.normalize((label + ".").repeat(4)));
  }

  @Test
  void aHostFieldMayHaveAPortAndADotAtItsEnd() {
    assertEquals("a.org", HostPatterns.hostOfHeader("A.org"));
    assertEquals("a.org", HostPatterns.hostOfHeader("a.org.:8080"));
    for (String none :
        new String[] {"a.org:", "a.org:x", "[::1]:80", "1.2.3.4", "a.org:80:80", ""}) {
      assertNull(HostPatterns.hostOfHeader(none), none);
    }
  }
}
