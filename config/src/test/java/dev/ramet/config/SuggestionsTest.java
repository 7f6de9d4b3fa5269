// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SuggestionsTest {
  @Test
  void countsExchangedLettersOnce() {
    assertEquals(1, Suggestions.distance("prot", "port"));
    assertEquals(3, Suggestions.distance("kitten", "sitting"));
  }
}
