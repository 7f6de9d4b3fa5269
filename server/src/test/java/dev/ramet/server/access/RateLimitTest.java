// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private final AtomicLong clock = new AtomicLong();

  @Test
  void allowsABurstThenTheRate() {
    RateLimit limit = new RateLimit(2, clock::get);
    for (int i = 0; i < 4; i++) {
      assertEquals(0, limit.countRequest("a"));
    }
    assertEquals(1, limit.countRequest("a"));
    assertEquals(0, limit.countRequest("b"), "each caller has its own");
    clock.addAndGet(500_000_000L);
    assertEquals(0, limit.countRequest("a"));
    assertTrue(limit.countRequest("a") > 0);
    clock.addAndGet(3_600_000_000_000L);
    for (int i = 0; i < 4; i++) {
      assertEquals(0, limit.countRequest("a"), "no more than a burst is saved up");
    }
    assertTrue(limit.countRequest("a") > 0);
  }

  @Test
  void zeroIsNoLimit() {
    RateLimit limit = new RateLimit(0, clock::get);
    for (int i = 0; i < 10_000; i++) {
      assertEquals(0, limit.countRequest("a"));
    }
  }

  @Test
  void remembersNoMoreCallersThanItCan() {
    RateLimit limit = new RateLimit(1, clock::get);
    for (int i = 0; i < 10_000; i++) {
      assertEquals(0, limit.countRequest("caller" + i));
    }
    assertEquals(1, limit.countRequest("one more"), "all of them have just asked");
    clock.addAndGet(10_000_000_000L);
    assertEquals(0, limit.countRequest("one more"));
  }
}
