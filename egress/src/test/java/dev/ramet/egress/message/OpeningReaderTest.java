// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks how long a guest may take to name its host, on a clock that the test moves. */
final class OpeningReaderTest {
  private static final Duration LIMIT = RequestDecoder.TIME_FOR_A_HEAD;

  private final List<ConnectionOpening> decided = new ArrayList<>();
  private final EmbeddedChannel guest = new EmbeddedChannel();

  @BeforeEach
  void connect() {
    guest.freezeTime();
    guest.pipeline().addLast(new OpeningReader(decided::add));
  }

  private void pass(Duration time) {
    guest.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    guest.runScheduledPendingTasks();
  }

  private void send(String text) {
    guest.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  @Test
  void aGuestThatSaysNothingIsDecidedAboutInTheEnd() {
    pass(LIMIT.minusMillis(1));
    assertEquals(List.of(), decided);
    pass(Duration.ofMillis(1));
    assertEquals(1, decided.size());
    assertInstanceOf(SocketTimeoutException.class, decided.get(0).problem());
    assertFalse(decided.get(0).tls());
    send("late");
    pass(LIMIT);
    assertEquals(1, decided.size());
  }

  @Test
  void oneThatStopsInTheMiddleIsToo() {
    send("\u0016\u0003");
    pass(LIMIT.minusMillis(1));
    assertEquals(List.of(), decided);
    pass(Duration.ofMillis(1));
    assertInstanceOf(SocketTimeoutException.class, decided.get(0).problem());
    assertTrue(decided.get(0).tls());
  }

  @Test
  void afterARequestTheTimeIsNoMatter() {
    send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assertEquals("a.test", decided.get(0).name());
    pass(LIMIT);
    assertEquals(1, decided.size());
  }
}
