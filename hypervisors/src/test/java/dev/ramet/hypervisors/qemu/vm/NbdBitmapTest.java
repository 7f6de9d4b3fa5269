// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.spi.storage.WriteLog.Range;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the client returns the whole answer or fails in time, whatever the server sends. */
class NbdBitmapTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path socket;

  NbdBitmapTest(@TempDir Path root) {
    socket = root.resolve("nbd.sock");
  }

  private List<Range> read(byte[] answers, Duration patience) throws IOException {
    try (FakeNbdServer server = new FakeNbdServer(socket, answers, true)) {
      return read(patience);
    }
  }

  private List<Range> read(Duration patience) throws IOException {
    try (NbdBitmap client = NbdBitmap.connect(socket, () -> true, Deadline.after(patience))) {
      return client.read("disk0", "b");
    }
  }

  private static FakeNbdServer.Script good() {
    return new FakeNbdServer.Script()
        .greeting()
        .negotiation("qemu:dirty-bitmap:b", 7, 1 << 20)
        .status(0, 7, 4096, 1, 8192, 0, 4096, 1)
        .status(16384, 7, 4096, 1, (1 << 20) - 20480, 2);
  }

  @Test
  void putsAnswersTogether() throws Exception {
    assertEquals(
        List.of(new Range(0, 4096), new Range(12288, 8192)), read(good().bytes(), PATIENCE));
    assertEquals(
        List.of(),
        read(
            new FakeNbdServer.Script().greeting().negotiation("qemu:dirty-bitmap:b", 7, 0).bytes(),
            PATIENCE));
  }

  @Test
  void anAnswerThatEndsTooEarlyIsAnError() throws Exception {
    byte[] all = good().bytes();
    for (int length = 0; length < all.length; length++) {
      byte[] some = java.util.Arrays.copyOf(all, length);
      assertThrows(IOException.class, () -> read(some, PATIENCE), "after " + length + " bytes");
    }
  }

  /**
   * Flags and sizes may differ. Any other wrong byte is noticed, and no read waits for more data.
   */
  @Test
  void noByteCanBeWrongWithoutAnEnd() throws Exception {
    byte[] all = good().bytes();
    int refused = 0;
    for (int i = 0; i < all.length; i++) {
      byte[] wrong = all.clone();
      wrong[i] ^= (byte) 0x90;
      try {
        read(wrong, PATIENCE);
      } catch (IOException e) {
        refused++;
      }
    }
    assertTrue(refused > all.length * 3 / 4, refused + " of " + all.length);
  }

  @Test
  void garbageIsAnError() throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[random.nextInt(4096)];
      random.nextBytes(garbage);
      assertThrows(IOException.class, () -> read(garbage, PATIENCE));
      byte[] late = new FakeNbdServer.Script().greeting().more(garbage).bytes();
      assertThrows(IOException.class, () -> read(late, PATIENCE));
    }
  }

  @Test
  void whatIsNotAsAskedIsAnError() {
    String context = "qemu:dirty-bitmap:b";
    for (FakeNbdServer.Script wrong :
        List.of(
            start().negotiation("qemu:dirty-bitmap:c", 7, 4096).status(0, 7, 4096, 1),
            start().negotiation(context, 7, -1).status(0, 7, 4096, 1),
            start().negotiation(context, 7, 4096).status(0, 8, 4096, 1),
            start().negotiation(context, 7, 4096).status(1, 7, 4096, 1),
            start().negotiation(context, 7, 4096).status(0, 7, 4097, 1),
            start().negotiation(context, 7, 4096).status(0, 7, 0, 1),
            start().negotiation(context, 7, 4096).status(0, 7),
            start().negotiation(context, 7, 4096).nothing(0),
            start().negotiation(context, 7, 4096).error(0, 5, "broken"),
            start().refusal(8, "no"))) {
      assertThrows(IOException.class, () -> read(wrong.bytes(), PATIENCE));
    }
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                read(
                    start().negotiation(context, 7, 4096).error(0, 5, "broken").bytes(), PATIENCE));
    assertTrue(String.valueOf(e.getMessage()).contains("broken"), e::getMessage);
  }

  private static FakeNbdServer.Script start() {
    return new FakeNbdServer.Script().greeting();
  }

  @Test
  void silenceEndsWithTheDeadline() throws Exception {
    byte[] all = good().bytes();
    for (int length : new int[] {0, 10, 18, 40, all.length - 1}) {
      byte[] some = java.util.Arrays.copyOf(all, length);
      try (FakeNbdServer server = new FakeNbdServer(socket, some, false)) {
        RametException e =
            assertThrows(RametException.class, () -> read(Duration.ofMillis(50)), server::toString);
        assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
      }
    }
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    try (FakeNbdServer server = new FakeNbdServer(socket, new byte[0], false)) {
      Thread.currentThread().interrupt();
      RametException e = assertThrows(RametException.class, () -> read(PATIENCE), server::toString);
      assertEquals(ErrorCode.CANCELLED, e.code());
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void noServerIsAnError() {
    assertThrows(
        IOException.class,
        () -> NbdBitmap.connect(socket, () -> false, Deadline.after(PATIENCE)).close());
    assertThrows(
        IOException.class,
        () -> NbdBitmap.connect(socket, () -> true, Deadline.after(Duration.ofMillis(20))).close());
  }
}
