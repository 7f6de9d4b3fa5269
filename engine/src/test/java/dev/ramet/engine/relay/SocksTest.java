// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EgressProxy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said to a proxy, byte by byte, and what of its answers is taken. */
final class SocksTest {
  private static final EgressProxy OPEN = new EgressProxy("p", 1080, null, null);
  private static final EgressProxy GUARDED = new EgressProxy("p", 1080, "me", "pw");

  /** A connection whose other end has said all beforehand. */
  private static final class Said extends Socket {
    private final InputStream in;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Said(String hex) {
      in = new ByteArrayInputStream(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    @Override
    public InputStream getInputStream() {
      return in;
    }

    @Override
    public OutputStream getOutputStream() {
      return out;
    }

    String heard() {
      return HexFormat.of().formatHex(out.toByteArray());
    }
  }

  @Test
  void asksForAnAddress() throws Exception {
    Said proxy = new Said("0500 05000001 00000000 0000");
    Socks.connect(proxy, OPEN, InetAddress.getByName("192.0.2.1"), 443);
    assertEquals("050100" + "05010001" + "c0000201" + "01bb", proxy.heard());
    Said other = new Said("0500 05000004 00000000000000000000000000000000 0000 ff");
    Socks.connect(other, OPEN, InetAddress.getByName("2001:db8::1"), 80);
    assertEquals(
        "050100" + "05010004" + "20010db8000000000000000000000001" + "0050", other.heard());
    assertEquals(0xff, other.getInputStream().read(), "what comes after is not touched");
  }

  @Test
  void asksForANameAsSomebody() throws Exception {
    Said proxy = new Said("0502 0100 05000003 02 6162 0000");
    Socks.connect(proxy, GUARDED, "a.org", 8080);
    assertEquals(
        "05020002" + "01026d65027077" + "05010003" + "05612e6f7267" + "1f90", proxy.heard());
    Said easy = new Said("0500 05000001 00000000 0000");
    Socks.connect(easy, GUARDED, "a.org", 80);
    assertTrue(easy.heard().startsWith("0502000205010003"), "the proxy wants no user");
  }

  @ParameterizedTest
  @CsvSource({
    "'', ended",
    "05, ended",
    "0400, not a proxy",
    "48545450, not a proxy",
    "05ff, in another way",
    "0502, in another way",
    "0500 05, ended",
    "0500 0505000100000000 0000, answers 5: refused",
    "0500 0502, answers 2: not allowed",
    "0500 05000101, not an answer",
    "0500 05000002, from no known",
    "0500 05000001 0000, ended",
  })
  void whatIsNoSuccessIsAFailure(String said, String told) {
    Said proxy = new Said(said);
    IOException failure =
        assertThrows(IOException.class, () -> Socks.connect(proxy, OPEN, "a.org", 80));
    assertTrue(failure.toString().contains(told), failure::toString);
  }

  @Test
  void aWrongPasswordIsAFailureThatDoesNotTellIt() {
    Said proxy = new Said("0502 0101");
    IOException failure =
        assertThrows(IOException.class, () -> Socks.connect(proxy, GUARDED, "a.org", 80));
    assertEquals("the proxy does not take the user or the password", failure.getMessage());
    assertEquals("EgressProxy[p:1080, me]", GUARDED.toString());
  }
}
