// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(20);

  @Test
  void oneMoreWaitsUntilAnotherHasEnded() throws Exception {
    Turns turns = new Turns(2, LONG);
    Turns.Turn first = turns.take();
    try (Turns.Turn second = turns.take()) {
      CompletableFuture<Void> third = CompletableFuture.runAsync(() -> turns.take().close());
      Thread.sleep(SHORT.toMillis());
      assertFalse(third.isDone());
      first.close();
      third.get(LONG.toSeconds(), TimeUnit.SECONDS);
      second.close(); // and once more at the end, which gives back nothing that it has not
    }
    Turns.Turn one = turns.take();
    Turns.Turn two = turns.take();
    CompletableFuture<Void> more = CompletableFuture.runAsync(() -> turns.take().close());
    Thread.sleep(SHORT.toMillis());
    assertFalse(more.isDone(), "there are still two");
    one.close();
    two.close();
    more.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void whoeverHasWaitedLongEnoughGoesAhead() {
    Turns turns = new Turns(1, SHORT);
    try (Turns.Turn held = turns.take()) {
      long start = System.nanoTime();
      turns.take().close(); // which had none to give back
      assertTrue(System.nanoTime() - start >= SHORT.toNanos());
      start = System.nanoTime();
      turns.take().close();
      assertTrue(System.nanoTime() - start >= SHORT.toNanos(), "it is still held");
      held.close();
    }
    turns.take().close();
  }

  @Test
  void whoNeedsNoneDoesNotWait() {
    Turns turns = new Turns(1, LONG);
    try (Turns.Turn held = turns.take()) {
      assertTimeoutPreemptively(LONG.dividedBy(2), () -> turns.none().close());
      held.close();
    }
  }

  @Test
  void anInterruptedOneIsTold() {
    Turns turns = new Turns(1, LONG);
    try (Turns.Turn held = turns.take()) {
      Thread.currentThread().interrupt();
      RametException e = assertThrows(RametException.class, turns::take);
      assertEquals(ErrorCode.CANCELLED, e.code());
      assertTrue(Thread.interrupted());
      held.close();
    }
    turns.take().close();
  }
}
