// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.RametException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DetachKeysTest {
  private final ByteArrayOutputStream passed = new ByteArrayOutputStream();

  private boolean take(DetachKeys keys, String typed) {
    byte[] bytes = typed.getBytes(StandardCharsets.ISO_8859_1);
    return keys.take(bytes, bytes.length, passed);
  }

  private String passed() {
    return passed.toString(StandardCharsets.ISO_8859_1);
  }

  @Test
  void theSequenceDetachesAndIsNotPassedOn() {
    DetachKeys keys = DetachKeys.parse(DetachKeys.USUAL);
    assertFalse(take(keys, "ls\r"));
    assertFalse(take(keys, "\u0010"));
    assertTrue(take(keys, "\u0011rest"));
    assertEquals("ls\r", passed());
  }

  @Test
  void theFirstKeyAloneIsPassedOnLate() {
    DetachKeys keys = DetachKeys.parse("ctrl-p,ctrl-q");
    assertFalse(take(keys, "\u0010"));
    assertEquals("", passed());
    assertFalse(take(keys, "\u0010x"));
    assertEquals("\u0010\u0010x", passed());
  }

  @Test
  void withoutASequenceEverythingIsPassedOn() {
    assertFalse(take(DetachKeys.parse(""), "\u0010\u0011"));
    assertEquals("\u0010\u0011", passed());
  }

  @Test
  void otherKeysCanBeChosen() {
    assertTrue(take(DetachKeys.parse("ctrl-],q"), "\u001dq"));
    assertEquals("", passed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ctrl-", "ctrl-1", "alt-x", "ctrl-p,", "ab", " "})
  void nonsenseIsRefused(String keys) {
    assertThrows(RametException.class, () -> DetachKeys.parse(keys));
  }
}
