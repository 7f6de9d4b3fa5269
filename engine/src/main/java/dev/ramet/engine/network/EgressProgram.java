// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.network;

import dev.ramet.linux.BpfCode;
import dev.ramet.linux.BpfCode.Label;
import dev.ramet.linux.BpfCode.Size;
import dev.ramet.linux.CgroupProgram.Hook;
import java.net.InetAddress;
import java.util.List;

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

  // Of the headers of IPv4 (RFC 791) and IPv6 (RFC 8200).
  private static final int IPV4_BYTES = 20;
  private static final int IPV4_SOURCE = 12;
  private static final int IPV4_TARGET = 16;
  private static final int IPV6_BYTES = 40;
  private static final int IPV6_TARGET = 24;
  private static final int WORD_BYTES = 4;

  // struct bpf_sock_addr, linux/bpf.h.
  private static final int USER_IP4 = 4;
  private static final int USER_IP6 = 8;
  private static final int USER_PORT = 24;

  private final EgressPolicy policy;
  private final BpfCode code = new BpfCode();
  private final Label pass = new Label();
  private final Label refuse = new Label();

  private EgressProgram(EgressPolicy policy) {
    this.policy = policy;
  }

  /**
   * A program.
   *
   * @param own the host's address of the guest's ports, from which answers to whoever connects to
   *     them leave; they pass
   */
  static BpfCode of(Hook hook, EgressPolicy policy, InetAddress own) {
    return new EgressProgram(policy).build(hook, own);
  }

  private BpfCode build(Hook hook, InetAddress own) {
    switch (hook) {
      case EGRESS -> packet(own);
      case CONNECT4, SENDMSG4 -> socket(1, USER_IP4);
      case CONNECT6, SENDMSG6 -> socket(WORD_BYTES, USER_IP6);
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
    // The port comes right after a header whose length is in its first byte, in words.
    decide(
        false,
        () -> {
          code.load(Size.BYTE, BpfCode.R2, BpfCode.R10, HEADER).and(BpfCode.R2, 0xf);
          code.shiftLeft(BpfCode.R2, 2).plus(BpfCode.R2, 2);
          portOfPacket();
        });

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
        });
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

  private void socket(int words, int field) {
    code.copy(BpfCode.R6, BpfCode.R1);
    for (int i = 0; i < words; i++) {
      code.load(Size.WORD, BpfCode.R0, BpfCode.R6, field + i * WORD_BYTES);
      code.fromNetworkOrder(BpfCode.R0, 32);
      code.store(Size.WORD, BpfCode.R10, ADDRESS + i * WORD_BYTES, BpfCode.R0);
    }
    decide(
        words > 1,
        () -> {
          code.load(Size.WORD, BpfCode.R0, BpfCode.R6, USER_PORT);
          code.fromNetworkOrder(BpfCode.R0, 16);
        });
  }

  /**
   * Goes to one of the ends.
   *
   * @param ipv6 which kind of address is on the stack
   * @param port puts the port that is to be reached into register 0
   */
  private void decide(boolean ipv6, Runnable port) {
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
            || goIfIn(policy.allowed(), ipv6, pass)
            || goIfIn(policy.denied(), ipv6, refuse);
    if (!decided) {
      code.go(pass);
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
