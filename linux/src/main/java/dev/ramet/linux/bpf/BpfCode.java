// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds a BPF program instruction by instruction (linux/bpf.h; the instruction set is RFC 9669).
 * Jumps go forward to labels that are placed later. Used by one thread.
 */
public final class BpfCode {
  /** The return value of a call and of the program. */
  public static final int R0 = 0;

  /** The first argument of a call; holds the context when the program begins. */
  public static final int R1 = 1;

  /** The second argument of a call. */
  public static final int R2 = 2;

  /** The third argument of a call. */
  public static final int R3 = 3;

  /** The fourth argument of a call. */
  public static final int R4 = 4;

  /** Kept over calls. */
  public static final int R6 = 6;

  /** The end of the stack; the 512 bytes below it belong to the program. */
  public static final int R10 = 10;

  static final int INSTRUCTION_BYTES = 8;

  private record Instruction(int code, int target, int source, int offset, int immediate) {}

  private record Jump(int at, Label label) {}

  /** A jump target in the program. */
  public static final class Label {
    private int at = -1;
    private boolean used;

    /** Creates a label whose place is not known yet. */
    public Label() {}

    /**
     * Returns whether any jump goes to this label; the kernel refuses programs with unreachable
     * code.
     */
    public boolean used() {
      return used;
    }
  }

  /** The width of a load or store. */
  public enum Size {
    /** Eight bytes. */
    DOUBLE(0x18),
    /** Four bytes. */
    WORD(0x00),
    /** Two bytes. */
    HALF(0x08),
    /** One byte. */
    BYTE(0x10);

    private final int bits;

    Size(int bits) {
      this.bits = bits;
    }
  }

  private final List<Instruction> instructions = new ArrayList<>();
  private final List<Jump> jumps = new ArrayList<>();

  /** Creates an empty program. */
  public BpfCode() {}

  /** Sets a register. */
  public BpfCode set(int register, int value) {
    return add(0xb7, register, 0, 0, value);
  }

  /** Copies a register. */
  public BpfCode copy(int target, int source) {
    return add(0xbf, target, source, 0, 0);
  }

  /** Adds to a register. */
  public BpfCode plus(int register, int value) {
    return add(0x07, register, 0, 0, value);
  }

  /** Keeps these bits of the lower half of a register, and clears the upper half. */
  public BpfCode and(int register, int bits) {
    return add(0x54, register, 0, 0, bits);
  }

  /** Shifts a register to the left. */
  public BpfCode shiftLeft(int register, int bits) {
    return add(0x67, register, 0, 0, bits);
  }

  /** Shifts a register to the right, zeros coming in. */
  public BpfCode shiftRight(int register, int bits) {
    return add(0x77, register, 0, 0, bits);
  }

  /** Turns a number in the order of the network into one of this machine. */
  public BpfCode fromNetworkOrder(int register, int bits) {
    return add(0xdc, register, 0, 0, bits);
  }

  /** Loads from where a register points. */
  public BpfCode load(Size size, int target, int pointer, int offset) {
    return add(0x61 | size.bits, target, pointer, offset, 0);
  }

  /** Stores to where a register points. */
  public BpfCode store(Size size, int pointer, int offset, int source) {
    return add(0x63 | size.bits, pointer, source, offset, 0);
  }

  /**
   * Sets a register to a table, for helpers that use tables; the table must stay open until then.
   */
  public BpfCode table(int register, BpfMap map) {
    // BPF_PSEUDO_MAP_FD; the second half holds nothing.
    return add(0x18, register, 1, 0, map.number()).add(0, 0, 0, 0, 0);
  }

  /** Calls a helper of the kernel, by its number in {@code enum bpf_func_id}. */
  public BpfCode call(int helper) {
    return add(0x85, 0, 0, 0, helper);
  }

  /** Goes to a label. */
  public BpfCode go(Label label) {
    return jump(0x05, 0, 0, label);
  }

  /** Goes to a label when the lower half of a register is this. */
  public BpfCode goIfEqual(int register, int value, Label label) {
    return jump(0x16, register, value, label);
  }

  /** Goes to a label when the lower half of a register is not this. */
  public BpfCode goUnlessEqual(int register, int value, Label label) {
    return jump(0x56, register, value, label);
  }

  /** Jumps to a label if both halves of a register are 0, as in a null pointer. */
  public BpfCode goIfNull(int register, Label label) {
    return jump(0x15, register, 0, label);
  }

  /** Puts a label here. */
  public BpfCode place(Label label) {
    label.at = instructions.size();
    return this;
  }

  /** Answers this number and ends. */
  public BpfCode answer(int value) {
    return set(R0, value).add(0x95, 0, 0, 0, 0);
  }

  private BpfCode jump(int code, int register, int value, Label label) {
    label.used = true;
    jumps.add(new Jump(instructions.size(), label));
    return add(code, register, 0, 0, value);
  }

  private BpfCode add(int code, int target, int source, int offset, int immediate) {
    instructions.add(new Instruction(code, target, source, offset, immediate));
    return this;
  }

  int count() {
    return instructions.size();
  }

  /**
   * Returns the program in the form the kernel takes, in the byte order of this machine.
   *
   * @throws IllegalStateException if a label was not placed after its jumps, or is too far away
   */
  byte[] bytes() {
    int[] offsets = new int[instructions.size()];
    for (Jump jump : jumps) {
      int offset = jump.label().at - jump.at() - 1;
      if (offset < 0 || offset > Short.MAX_VALUE) {
        throw new IllegalStateException("a jump of " + offset + " instructions");
      }
      offsets[jump.at()] = offset;
    }
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    ByteBuffer bytes =
        ByteBuffer.allocate(instructions.size() * INSTRUCTION_BYTES).order(ByteOrder.nativeOrder());
    for (int i = 0; i < instructions.size(); i++) {
      Instruction one = instructions.get(i);
      int registers = little ? one.source() << 4 | one.target() : one.target() << 4 | one.source();
      bytes.put((byte) one.code()).put((byte) registers);
      bytes.putShort((short) (one.offset() + offsets[i])).putInt(one.immediate());
    }
    return bytes.array();
  }
}
