// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UndoTest {
  private final List<String> done = new ArrayList<>();

  @Test
  void undoesInReverseAndGoesOnAfterAFailure() {
    try (Undo undo = new Undo()) {
      undo.add("first", () -> done.add("first"));
      undo.add(
          "second",
          () -> {
            throw new IllegalStateException("cannot");
          });
      undo.add("third", () -> done.add("third"));
    }
    assertEquals(List.of("third", "first"), done);
  }

  @Test
  void doesNothingAfterACommit() {
    try (Undo undo = new Undo()) {
      undo.add("first", () -> done.add("first"));
      undo.commit();
    }
    assertEquals(List.of(), done);
  }
}
