// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

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

class CopySlotsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(20);

  @Test
  void oneMoreWaitsUntilAnotherHasEnded() throws Exception {
    CopySlots turns = new CopySlots(2, LONG);
    CopySlots.Turn first = turns.acquire();
    try (CopySlots.Turn second = turns.acquire()) {
      CompletableFuture<Void> third = CompletableFuture.runAsync(() -> turns.acquire().close());
      Thread.sleep(SHORT.toMillis());
      assertFalse(third.isDone());
      first.close();
      third.get(LONG.toSeconds(), TimeUnit.SECONDS);
      second.close(); // closed again at the end of the block, which frees nothing twice
    }
    CopySlots.Turn one = turns.acquire();
    CopySlots.Turn two = turns.acquire();
    CompletableFuture<Void> more = CompletableFuture.runAsync(() -> turns.acquire().close());
    Thread.sleep(SHORT.toMillis());
    assertFalse(more.isDone(), "there are still two");
    one.close();
    two.close();
    more.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void whoeverHasWaitedLongEnoughGoesAhead() {
    CopySlots turns = new CopySlots(1, SHORT);
    try (CopySlots.Turn held = turns.acquire()) {
      long start = System.nanoTime();
      turns.acquire().close(); // has no slot to free
      assertTrue(System.nanoTime() - start >= SHORT.toNanos());
      start = System.nanoTime();
      turns.acquire().close();
      assertTrue(System.nanoTime() - start >= SHORT.toNanos(), "it is still held");
      held.close();
    }
    turns.acquire().close();
  }

  @Test
  void whoNeedsNoneDoesNotWait() {
    CopySlots turns = new CopySlots(1, LONG);
    try (CopySlots.Turn held = turns.acquire()) {
      assertTimeoutPreemptively(LONG.dividedBy(2), () -> turns.noSlot().close());
      held.close();
    }
  }

  @Test
  void anInterruptedOneIsTold() {
    CopySlots turns = new CopySlots(1, LONG);
    try (CopySlots.Turn held = turns.acquire()) {
      Thread.currentThread().interrupt();
      RametException e = assertThrows(RametException.class, turns::acquire);
      assertEquals(ErrorCode.CANCELLED, e.code());
      assertTrue(Thread.interrupted());
      held.close();
    }
    turns.acquire().close();
  }
}
