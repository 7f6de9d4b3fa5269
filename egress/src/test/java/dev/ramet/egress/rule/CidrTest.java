// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CidrTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.0.0.0/8",
    "10.1.2.3/8, 10.0.0.0/8",
    "192.0.2.7, 192.0.2.7/32",
    "0.0.0.0/0, 0.0.0.0/0",
    "255.255.255.255/31, 255.255.255.254/31",
    "::/0, 0:0:0:0:0:0:0:0/0",
    "fe80::1/10, fe80:0:0:0:0:0:0:0/10",
    "2001:db8::1, 2001:db8:0:0:0:0:0:1/128",
    "2001:DB8:ffff::/33, 2001:db8:8000:0:0:0:0:0/33",
  })
  void keepsTheBitsThatCount(String text, String kept) {
    assertEquals(kept, Cidr.parse(text).toString());
    assertEquals(Cidr.parse(kept), Cidr.parse(text));
    assertEquals(Cidr.parse(kept).hashCode(), Cidr.parse(text).hashCode());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "example.org",
        "localhost",
        "1.2.3",
        "1.2.3.4.5",
        "256.0.0.1",
        "1.2.3.4/33",
        "1.2.3.4/-1",
        "1.2.3.4/",
        "1.2.3.4/8/8",
        "/8",
        "::1/129",
        ":::",
        "1::2::3",
        "12345::",
        "::ffff:127.0.0.1",
        "1.2.3.4 ",
        "0x7f.0.0.1",
        "deadbeef",
        "fe80::1%eth0",
        "[::1]",
        "١.2.3.4",
      })
  void refusesWhatIsNoneOfThese(String text) {
    assertThrows(IllegalArgumentException.class, () -> Cidr.parse(text));
  }

  @Test
  void knowsWhatIsInIt() throws Exception {
    Cidr network = Cidr.parse("172.16.0.0/12");
    assertTrue(network.contains(address("172.31.255.255")));
    assertTrue(!network.contains(address("172.32.0.0")));
    assertTrue(!network.contains(address("::1")));
  }

  @Test
  void aRequestIsToldWhichEntryIsWrong() {
    RametException wrong =
        assertThrows(
            RametException.class,
            () -> NetworkRules.parse(List.of("1.2.3.4", "1.2.3.400"), List.of()));
    assertEquals(ErrorCode.INVALID_ARGUMENT, wrong.code());
    assertTrue(wrong.toString().contains(" network.allowOut[1]: not an"), wrong::toString);
    List<String> many = Collections.nCopies(NetworkRules.MAX + 1, "1.2.3.4");
    RametException tooMany =
        assertThrows(RametException.class, () -> NetworkRules.parse(null, many));
    assertTrue(tooMany.toString().contains(" network.denyOut: at most"), tooMany::toString);
  }

  private static InetAddress address(String literal) throws UnknownHostException {
    return InetAddress.getByName(literal);
  }
}
