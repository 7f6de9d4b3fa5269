// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IdsTest {
  @Test
  void idsDifferAndFitIntoAHostName() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      String id = Ids.newId('i');
      assertTrue(id.matches("i[a-z0-9]{19}"), id);
      ids.add(id);
    }
    assertEquals(1000, ids.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", "../x", "ü", "a\n", "a:b"})
  void refusesOtherNames(String name) {
    RametException refused = assertThrows(RametException.class, () -> Ids.checkName("name", name));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
  }

  @Test
  void refusesLongNames() {
    assertEquals("a".repeat(64), Ids.checkName("name", "a".repeat(64)));
    assertThrows(RametException.class, () -> Ids.checkName("name", "a".repeat(65)));
  }
}
