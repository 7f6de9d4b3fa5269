// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A network, as an address and how many of its leading bits count (RFC 4632, RFC 4291). Immutable
 * and thread-safe.
 */
public final class Cidr {
  private static final Pattern FORM = Pattern.compile("([0-9A-Fa-f:.]{2,45})(?:/([0-9]{1,3}))?");
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final int WORD_BITS = 32;

  private final int[] words;
  private final int bits;

  private Cidr(int[] words, int bits) {
    this.words = words;
    this.bits = bits;
  }

  /**
   * Reads {@code 10.0.0.0/8}, {@code 192.0.2.7}, {@code fe80::/10} or {@code 2001:db8::1}. Bits
   * that do not count may be set. Names are not looked up.
   *
   * @throws IllegalArgumentException when it is none of these, saying so
   */
  public static Cidr parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not an address or a network: " + printable(text));
    }
    String address = parts.group(1);
    int[] words = wordsOf(address, text);
    int most = words.length * WORD_BITS;
    int bits = parts.group(2) == null ? most : Integer.parseInt(parts.group(2));
    if (bits > most) {
      throw new IllegalArgumentException("more than " + most + " bits: " + printable(text));
    }
    for (int i = 0; i < words.length; i++) {
      words[i] &= mask(i, bits);
    }
    return new Cidr(words, bits);
  }

  /** One address. */
  public static Cidr ofAddress(InetAddress address) {
    int[] words = wordsOf(address.getAddress());
    return new Cidr(words, words.length * WORD_BITS);
  }

  private static int[] wordsOf(String address, String text) {
    boolean sixth = address.indexOf(':') >= 0;
    if (!sixth && !IPV4.matcher(address).matches()) {
      throw new IllegalArgumentException("not an address or a network: " + printable(text));
    }
    try {
      // Of this form it is never looked up.
      byte[] bytes = InetAddress.getByName(address).getAddress();
      if (sixth != (bytes.length == 16)) {
        throw new IllegalArgumentException("an IPv4 address as IPv6: " + printable(text));
      }
      return wordsOf(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not an address or a network: " + printable(text), e);
    }
  }

  private static int[] wordsOf(byte[] bytes) {
    int[] words = new int[bytes.length / Integer.BYTES];
    ByteBuffer.wrap(bytes).asIntBuffer().get(words);
    return words;
  }

  private static String printable(String text) {
    return text.substring(0, Math.min(text.length(), 60)).replaceAll("\\p{Cntrl}", "?");
  }

  private static int mask(int word, int bits) {
    int of = Math.max(0, Math.min(WORD_BITS, bits - word * WORD_BITS));
    return of == 0 ? 0 : -1 << (WORD_BITS - of);
  }

  /** Whether it is of IPv6. */
  public boolean ipv6() {
    return words.length > 1;
  }

  /** Whether every address of its kind is in it. */
  public boolean coversAll() {
    return bits == 0;
  }

  /** How many leading bits of the address count. */
  public int bits() {
    return bits;
  }

  /** The address, of 4 or 16 bytes; the bits that do not count are 0. */
  public byte[] address() {
    ByteBuffer bytes = ByteBuffer.allocate(words.length * Integer.BYTES);
    bytes.asIntBuffer().put(words);
    return bytes.array();
  }

  /** Whether an address is in it. */
  public boolean contains(InetAddress address) {
    int[] other = wordsOf(address.getAddress());
    if (other.length != words.length) {
      return false;
    }
    for (int i = 0; i < words.length; i++) {
      if ((other[i] & mask(i, bits)) != words[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether all of it is in one of these. */
  public boolean in(List<Cidr> networks) {
    return networks.stream().anyMatch(this::in);
  }

  private boolean in(Cidr other) {
    if (other.words.length != words.length || other.bits > bits) {
      return false;
    }
    for (int i = 0; i < words.length; i++) {
      if ((words[i] & mask(i, other.bits)) != other.words[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether an address is in any of these. */
  public static boolean anyContains(List<Cidr> networks, InetAddress address) {
    return networks.stream().anyMatch(network -> network.contains(address));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cidr cidr && cidr.bits == bits && Arrays.equals(cidr.words, words);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(words) + bits;
  }

  @Override
  public String toString() {
    try {
      return InetAddress.getByAddress(address()).getHostAddress() + "/" + bits;
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // It has the length of an address.
    }
  }
}
