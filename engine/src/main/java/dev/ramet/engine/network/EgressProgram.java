// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.network;

import dev.ramet.egress.rule.Cidr;
import dev.ramet.linux.bpf.BpfCode;
import dev.ramet.linux.bpf.BpfCode.Label;
import dev.ramet.linux.bpf.BpfCode.Size;
import dev.ramet.linux.bpf.BpfMap;
import dev.ramet.linux.bpf.CgroupProgram.Hook;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns a policy into programs for the kernel, one for each place where it asks. Each first puts
 * the address that is to be reached onto its stack, in words of this machine's order, then compares
 * it with one network after the other. Used by one thread.
 */
final class EgressProgram {
  private static final int LOAD_BYTES_OF_PACKET = 26; // BPF_FUNC_skb_load_bytes, linux/bpf.h
  private static final int DNS_PORT = 53;
  private static final int REFUSE = 0;
  private static final int PASS = 1;

  // The stack, below register 10: the packet's header, the address, and the port.
  private static final int HEADER = -40;
  private static final int ADDRESS = -56;
  private static final int PORT = -64;

  // For the relay: the keys of both tables, and their value.
  private static final int COOKIE = -72;
  private static final int VALUE = COOKIE - RelayTables.VALUE_BYTES;
  private static final int SOURCE = VALUE - 8;
  private static final int LOOK_UP = 1; // BPF_FUNC_map_lookup_elem
  private static final int UPDATE = 2; // BPF_FUNC_map_update_elem
  private static final int DELETE = 3; // BPF_FUNC_map_delete_elem
  private static final int SOCKET_COOKIE = 46; // BPF_FUNC_get_socket_cookie
  private static final int LOOPBACK = 0x7f000001;
  private static final int MAPPED = 0xffff; // before an IPv4 address, RFC 4291, 2.5.5.2
  private static final int HTTP = 80;
  private static final int HTTPS = 443;
  private static final int TCP = 6;
  private static final int STREAM = 1; // SOCK_STREAM

  // Of the headers of IPv4 (RFC 791) and IPv6 (RFC 8200).
  private static final int IPV4_BYTES = 20;
  private static final int IPV4_PROTOCOL = 9;
  private static final int IPV4_SOURCE = 12;
  private static final int IPV4_TARGET = 16;
  private static final int IPV6_BYTES = 40;
  private static final int IPV6_TARGET = 24;
  private static final int WORD_BYTES = 4;

  // struct bpf_sock_addr, linux/bpf.h.
  private static final int USER_IP4 = 4;
  private static final int USER_IP6 = 8;
  private static final int USER_PORT = 24;
  private static final int TYPE = 32;

  private final EgressPolicy policy;
  private final @Nullable RelayTables relay;
  private final BpfCode code = new BpfCode();
  private final Label pass = new Label();
  private final Label refuse = new Label();

  private EgressProgram(EgressPolicy policy, @Nullable RelayTables relay) {
    this.policy = policy;
    this.relay = relay;
  }

  /**
   * A program.
   *
   * @param own the host's address of the guest's ports, from which answers to whoever connects to
   *     them leave; they pass
   * @param relay where connections are brought that the policy wants relayed; null when it wants
   *     none
   */
  static BpfCode of(Hook hook, EgressPolicy policy, InetAddress own, @Nullable RelayTables relay) {
    if (relay == null && policy.relayed().any()) {
      throw new IllegalArgumentException("no relay");
    }
    return new EgressProgram(policy, relay).build(hook, own);
  }

  private BpfCode build(Hook hook, InetAddress own) {
    switch (hook) {
      case EGRESS -> packet(own);
      case CONNECT4 -> socket(1, USER_IP4, true);
      case CONNECT6 -> socket(WORD_BYTES, USER_IP6, true);
      case SENDMSG4 -> socket(1, USER_IP4, false);
      case SENDMSG6 -> socket(WORD_BYTES, USER_IP6, false);
    }
    answer(pass, PASS);
    answer(refuse, REFUSE);
    return code;
  }

  private void answer(Label label, int value) {
    if (label.used()) {
      code.place(label).answer(value);
    }
  }

  private void packet(InetAddress own) {
    Label sixth = new Label();
    code.copy(BpfCode.R6, BpfCode.R1);
    load(0, HEADER, IPV4_BYTES);
    code.load(Size.BYTE, BpfCode.R0, BpfCode.R10, HEADER).shiftRight(BpfCode.R0, 4);
    code.goIfEqual(BpfCode.R0, 6, sixth).goUnlessEqual(BpfCode.R0, 4, refuse);

    Cidr answering = Cidr.of(own);
    word(HEADER + IPV4_SOURCE);
    code.goIfEqual(BpfCode.R0, answering.word(0), pass);
    word(HEADER + IPV4_TARGET);
    code.store(Size.WORD, BpfCode.R10, ADDRESS, BpfCode.R0);
    if (relay != null) {
      toRelay(relay);
    }
    decide(
        false,
        () -> {
          afterHeader(2);
          portOfPacket();
        },
        direct(),
        refuse);

    code.place(sixth);
    load(0, HEADER, IPV6_BYTES);
    for (int i = 0; i < WORD_BYTES; i++) {
      word(HEADER + IPV6_TARGET + i * WORD_BYTES);
      code.store(Size.WORD, BpfCode.R10, ADDRESS + i * WORD_BYTES, BpfCode.R0);
    }
    decide(
        true,
        () -> {
          code.set(BpfCode.R2, IPV6_BYTES + 2);
          portOfPacket();
        },
        direct(),
        refuse);
  }

  /** Where goes what is not relayed and not denied: all is relayed that leaves through a proxy. */
  private Label direct() {
    return policy.relayed().others() ? refuse : pass;
  }

  /** Lets packets of TCP pass to the relay, and tells it with the first where they were to go. */
  private void toRelay(RelayTables to) {
    Label other = new Label();
    code.goUnlessEqual(BpfCode.R0, LOOPBACK, other);
    code.load(Size.BYTE, BpfCode.R0, BpfCode.R10, HEADER + IPV4_PROTOCOL);
    code.goUnlessEqual(BpfCode.R0, TCP, other);
    afterHeader(2);
    portOfPacket();
    code.goUnlessEqual(BpfCode.R0, to.port(), other);
    afterHeader(0);
    portOfPacket();
    code.store(Size.WORD, BpfCode.R10, SOURCE, BpfCode.R0);
    code.copy(BpfCode.R1, BpfCode.R6).call(SOCKET_COOKIE);
    code.store(Size.DOUBLE, BpfCode.R10, COOKIE, BpfCode.R0);
    inTable(to.bySocket(), COOKIE).call(LOOK_UP).goIfNull(BpfCode.R0, pass);
    for (int i = 0; i < RelayTables.VALUE_BYTES; i += WORD_BYTES) {
      code.load(Size.WORD, BpfCode.R2, BpfCode.R0, i);
      code.store(Size.WORD, BpfCode.R10, VALUE + i, BpfCode.R2);
    }
    update(to.byPort(), SOURCE);
    inTable(to.bySocket(), COOKIE).call(DELETE);
    code.go(pass).place(other);
  }

  private BpfCode inTable(BpfMap table, int key) {
    code.table(BpfCode.R1, table).copy(BpfCode.R2, BpfCode.R10);
    return code.plus(BpfCode.R2, key);
  }

  /** Puts the value on the stack into a table. */
  private void update(BpfMap table, int key) {
    inTable(table, key).copy(BpfCode.R3, BpfCode.R10).plus(BpfCode.R3, VALUE);
    code.set(BpfCode.R4, 0).call(UPDATE);
  }

  /** What comes right after a header whose length is in its first byte, in words. */
  private void afterHeader(int offset) {
    code.load(Size.BYTE, BpfCode.R2, BpfCode.R10, HEADER).and(BpfCode.R2, 0xf);
    code.shiftLeft(BpfCode.R2, 2).plus(BpfCode.R2, offset);
  }

  /** Copies a part of the packet to the stack; one that is too short is refused. */
  private void load(int from, int to, int bytes) {
    code.set(BpfCode.R2, from);
    loadAt(to, bytes);
  }

  private void loadAt(int to, int bytes) {
    code.copy(BpfCode.R1, BpfCode.R6).copy(BpfCode.R3, BpfCode.R10).plus(BpfCode.R3, to);
    code.set(BpfCode.R4, bytes).call(LOAD_BYTES_OF_PACKET);
    code.goUnlessEqual(BpfCode.R0, 0, refuse);
  }

  private void portOfPacket() {
    loadAt(PORT, Short.BYTES);
    code.load(Size.HALF, BpfCode.R0, BpfCode.R10, PORT).fromNetworkOrder(BpfCode.R0, 16);
  }

  private void word(int offset) {
    code.load(Size.WORD, BpfCode.R0, BpfCode.R10, offset).fromNetworkOrder(BpfCode.R0, 32);
  }

  private void socket(int words, int field, boolean connects) {
    code.copy(BpfCode.R6, BpfCode.R1);
    for (int i = 0; i < words; i++) {
      code.load(Size.WORD, BpfCode.R0, BpfCode.R6, field + i * WORD_BYTES);
      code.fromNetworkOrder(BpfCode.R0, 32);
      code.store(Size.WORD, BpfCode.R10, ADDRESS + i * WORD_BYTES, BpfCode.R0);
    }
    EgressPolicy.Relayed relayed = policy.relayed();
    boolean openRelayed = connects && relayed.web();
    Label open = openRelayed ? new Label() : direct();
    Label shut = connects && relayed.denied() ? new Label() : refuse;
    decide(words > 1, this::portOfSocket, open, shut);
    Label relayIt = new Label();
    if (openRelayed && open.used()) {
      code.place(open);
      unlessStream(direct());
      if (!relayed.others()) {
        portOfSocket();
        code.goIfEqual(BpfCode.R0, HTTP, relayIt).goUnlessEqual(BpfCode.R0, HTTPS, pass);
      }
      code.go(relayIt);
    }
    if (!shut.equals(refuse) && shut.used()) {
      code.place(shut);
      unlessStream(refuse);
      code.go(relayIt);
    }
    if (relay != null && relayIt.used()) {
      code.place(relayIt);
      bring(relay, words, field);
    }
  }

  private void portOfSocket() {
    code.load(Size.WORD, BpfCode.R0, BpfCode.R6, USER_PORT);
    code.fromNetworkOrder(BpfCode.R0, 16);
  }

  private void unlessStream(Label then) {
    code.load(Size.WORD, BpfCode.R0, BpfCode.R6, TYPE).goUnlessEqual(BpfCode.R0, STREAM, then);
  }

  /** Has a socket connect to the relay, and keeps where it was to connect to. */
  private void bring(RelayTables to, int words, int field) {
    code.copy(BpfCode.R1, BpfCode.R6).call(SOCKET_COOKIE);
    code.store(Size.DOUBLE, BpfCode.R10, COOKIE, BpfCode.R0);
    for (int i = 0; i < WORD_BYTES; i++) {
      if (i < words) {
        code.load(Size.WORD, BpfCode.R0, BpfCode.R10, ADDRESS + i * WORD_BYTES);
      } else {
        code.set(BpfCode.R0, 0);
      }
      code.store(Size.WORD, BpfCode.R10, VALUE + i * WORD_BYTES, BpfCode.R0);
    }
    portOfSocket();
    code.store(Size.WORD, BpfCode.R10, VALUE + RelayTables.PORT_AT, BpfCode.R0);
    code.set(BpfCode.R0, words);
    code.store(Size.WORD, BpfCode.R10, VALUE + RelayTables.WORDS_AT, BpfCode.R0);
    update(to.bySocket(), COOKIE);
    code.goUnlessEqual(BpfCode.R0, 0, refuse);

    // A socket of IPv6 gets there by an IPv4 address in one of IPv6.
    int[] address = words == 1 ? new int[] {LOOPBACK} : new int[] {0, 0, MAPPED, LOOPBACK};
    for (int i = 0; i < words; i++) {
      code.set(BpfCode.R0, inNetworkOrder(address[i]));
      code.store(Size.WORD, BpfCode.R6, field + i * WORD_BYTES, BpfCode.R0);
    }
    code.set(BpfCode.R0, inNetworkOrder(to.port() << 16));
    code.store(Size.WORD, BpfCode.R6, USER_PORT, BpfCode.R0);
    code.go(pass);
  }

  private static int inNetworkOrder(int value) {
    return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
  }

  /**
   * Goes to one of the ends.
   *
   * @param ipv6 which kind of address is on the stack
   * @param port puts the port that is to be reached into register 0
   * @param open where goes what is allowed, or not denied
   * @param shut where goes what is denied
   */
  private void decide(boolean ipv6, Runnable port, Label open, Label shut) {
    for (InetAddress resolver : policy.resolvers()) {
      Cidr only = Cidr.of(resolver);
      if (only.ipv6() == ipv6) {
        Label other = new Label();
        unlessIn(only, other);
        port.run();
        code.goIfEqual(BpfCode.R0, DNS_PORT, pass).place(other);
      }
    }
    boolean decided =
        goIfIn(policy.never(), ipv6, refuse)
            || goIfIn(policy.allowed(), ipv6, open)
            || goIfIn(policy.denied(), ipv6, shut);
    if (!decided) {
      code.go(open);
    }
  }

  /** Answers whether every address goes there: what came after that would never be reached. */
  private boolean goIfIn(List<Cidr> networks, boolean ipv6, Label then) {
    for (Cidr network : networks) {
      if (network.ipv6() == ipv6) {
        if (network.everything()) {
          code.go(then);
          return true;
        }
        Label other = new Label();
        unlessIn(network, other);
        code.go(then).place(other);
      }
    }
    return false;
  }

  /** Goes to a label unless the address on the stack is in a network. */
  private void unlessIn(Cidr network, Label other) {
    for (int i = 0; i < (network.ipv6() ? WORD_BYTES : 1); i++) {
      if (network.mask(i) != 0) {
        code.load(Size.WORD, BpfCode.R0, BpfCode.R10, ADDRESS + i * WORD_BYTES);
        code.and(BpfCode.R0, network.mask(i)).goUnlessEqual(BpfCode.R0, network.word(i), other);
      }
    }
  }
}
