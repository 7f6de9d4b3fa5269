// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import dev.ramet.linux.LinuxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The rules of an egress filter: networks, each with a verdict. The most specific network that
 * holds an address decides about it, alone. An address in none is refused. Used by one thread.
 */
public final class EgressRules {
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;
  private static final int FAMILY_BITS = 32;

  /** A permission; without any, nothing passes. The bits are those of {@code egress.bpf.c}. */
  public enum Verdict {
    /** Everything to the port of DNS passes, and is not relayed. */
    DNS(1),
    /** Everything passes that is not relayed. */
    PASS(2),
    /** TCP connections to the ports 80 and 443 go to the relay. */
    RELAY_WEB(4),
    /** TCP connections to all ports go to the relay. */
    RELAY(8);

    private final int bit;

    Verdict(int bit) {
      this.bit = bit;
    }
  }

  private final Map<ByteBuffer, Integer> verdicts = new LinkedHashMap<>();

  /** Creates rules that refuse everything. */
  public EgressRules() {}

  /**
   * Sets the verdict for a network, in place of the one that it had.
   *
   * @param network the network's address, of 4 or 16 bytes
   * @param bits how many of its leading bits count
   */
  public EgressRules put(byte[] network, int bits, Set<Verdict> verdict) {
    if ((network.length != IPV4_BYTES && network.length != IPV6_BYTES)
        || bits < 0
        || bits > network.length * Byte.SIZE) {
      throw new IllegalArgumentException(network.length + " bytes, " + bits + " bits");
    }
    // struct network: only the length is in the machine's order, for which the object was made.
    ByteBuffer key = ByteBuffer.allocate(2 * Integer.BYTES + IPV6_BYTES);
    key.order(ByteOrder.LITTLE_ENDIAN).putInt(FAMILY_BITS + bits);
    key.order(ByteOrder.BIG_ENDIAN).putInt(network.length == IPV4_BYTES ? 4 : 6).put(network);
    int value = verdict.stream().mapToInt(one -> one.bit).sum();
    verdicts.put(key.rewind(), value);
    return this;
  }

  /** Makes a map of the rules, which the caller closes. */
  BpfMap toMap() throws LinuxException {
    BpfMap map = EgressObject.create("networks", Math.max(1, verdicts.size()));
    boolean complete = false;
    try {
      for (Map.Entry<ByteBuffer, Integer> entry : verdicts.entrySet()) {
        map.put(entry.getKey().array(), EgressObject.encodeWords(entry.getValue()));
      }
      complete = true;
      return map;
    } finally {
      if (!complete) {
        map.close();
      }
    }
  }
}
