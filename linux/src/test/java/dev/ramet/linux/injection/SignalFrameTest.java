// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcessMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Frames byte for byte, by offsets that a C compiler gives for the kernel's structures. */
class SignalFrameTest {
  private static final long RESTORE = 0x7f00_0000_3c50L;
  private static final long MASK = 0x1234_5678_9abc_def0L;
  private static final int FLAGS_AT = 8;
  private static final int STACK_FLAGS_AT = 32;
  private static final int R8_AT = 48;
  private static final int AX_AT = 48 + 13 * 8;
  private static final int IP_AT = 48 + 16 * 8;
  private static final int CS_AT = 48 + 144;
  private static final int SS_AT = CS_AT + 6;
  private static final int FLOATING_POINT_AT = 48 + 184;
  private static final int MASK_AT = 48 + 256;
  private static final int SOFTWARE_AT = 464;
  private static final int HEADER_AT = 512;
  private static final int MAGIC_1 = 0x46505853;
  private static final int MAGIC_2 = 0x46505845;

  /** Every register is its own index and 1000, but for those that tell the state. */
  private static LongBuffer registers(long call, long result) {
    LongBuffer values = LongBuffer.allocate(Registers.COUNT);
    for (int i = 0; i < Registers.COUNT; i++) {
      values.put(i, 1000 + i);
    }
    values.put(Registers.RSP, 0x7ffc_0001_2345L).put(Registers.RIP, 0x40_1002L);
    values.put(Registers.CS, 0x33).put(Registers.SS, 0x2b);
    return values.put(Registers.ORIG_RAX, call).put(Registers.RAX, result);
  }

  private static ByteBuffer extended(int sizeBytes, long features, long present) {
    ByteBuffer state = ByteBuffer.allocate(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < sizeBytes; i++) {
      state.put(i, (byte) (i * 7));
    }
    if (sizeBytes > HEADER_AT) {
      state.putLong(SOFTWARE_AT, features).putLong(HEADER_AT, present);
    }
    return state;
  }

  private static SignalFrame frame(long call, long result) {
    return new SignalFrame(
        new Registers(registers(call, result)), MASK, extended(832, 7, 4), RESTORE);
  }

  @Test
  void everyRegisterHasItsPlace() {
    SignalFrame frame = frame(-1, 77);
    ByteBuffer bytes = frame.bytes();

    assertEquals(RESTORE, bytes.getLong(0));
    assertEquals(7, bytes.getLong(FLAGS_AT));
    assertEquals(0, bytes.getLong(FLAGS_AT + 8));
    assertTrue(bytes.getInt(STACK_FLAGS_AT) > 2, "a flag that sigaltstack(2) refuses");
    int[] order = {9, 8, 7, 6, 3, 2, 1, 0, 14, 13, 4, 5, 12, 10, 11, 19, 16, 18};
    LongBuffer found = registers(-1, 77);
    for (int i = 0; i < order.length; i++) {
      assertEquals(found.get(order[i]), bytes.getLong(R8_AT + 8 * i), "register " + i);
    }
    assertEquals(0x33, bytes.getShort(CS_AT));
    assertEquals(0x2b, bytes.getShort(SS_AT));
    assertEquals(MASK, bytes.getLong(MASK_AT));
  }

  @Test
  void itLiesBelowTheRedZoneAlignedAsTheKernelAlignsIt() {
    SignalFrame frame = frame(-1, 77);
    long floatingPoint = frame.bytes().getLong(FLOATING_POINT_AT);

    assertEquals(8, frame.address() & 15);
    assertEquals(frame.address() + 8, frame.returnStack());
    assertEquals(0, floatingPoint & 63);
    assertTrue(floatingPoint >= frame.address() + 440);
    assertEquals(floatingPoint + 836, frame.address() + frame.bytes().remaining());
    assertTrue(floatingPoint + 836 <= 0x7ffc_0001_2345L - 128);
    assertTrue(floatingPoint + 836 > 0x7ffc_0001_2345L - 128 - 64);
  }

  @Test
  void interruptedCallsAreMadeAgain() {
    for (long result : new long[] {-512, -513, -514, -516}) {
      ByteBuffer bytes = frame(202, result).bytes();
      assertEquals(0x40_1000L, bytes.getLong(IP_AT), "result " + result);
      assertEquals(202, bytes.getLong(AX_AT), "result " + result);
    }
    for (long result : new long[] {0, 5, -4, -515}) {
      ByteBuffer bytes = frame(202, result).bytes();
      assertEquals(0x40_1002L, bytes.getLong(IP_AT), "result " + result);
      assertEquals(result, bytes.getLong(AX_AT), "result " + result);
    }
    assertEquals(0x40_1002L, frame(-1, -512).bytes().getLong(IP_AT));
  }

  private static ByteBuffer state(ByteBuffer extended) {
    SignalFrame frame = new SignalFrame(new Registers(registers(-1, 0)), MASK, extended, RESTORE);
    ByteBuffer bytes = frame.bytes();
    int at = (int) (bytes.getLong(FLOATING_POINT_AT) - frame.address());
    return bytes.slice(at, bytes.remaining() - at).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void vectorRegistersAreKeptWhole() {
    ByteBuffer in = extended(832, 0xe7, 4);
    ByteBuffer out = state(in);

    assertEquals(in.slice(0, SOFTWARE_AT), out.slice(0, SOFTWARE_AT));
    assertEquals(in.slice(520, 832 - 520), out.slice(520, 832 - 520));
    assertEquals(7, out.getLong(HEADER_AT), "the legacy parts always count as present");
    assertEquals(MAGIC_1, out.getInt(SOFTWARE_AT));
    assertEquals(836, out.getInt(SOFTWARE_AT + 4));
    assertEquals(0xe7, out.getLong(SOFTWARE_AT + 8));
    assertEquals(832, out.getInt(SOFTWARE_AT + 16));
    for (int i = 20; i < 48; i++) {
      assertEquals(0, out.get(SOFTWARE_AT + i));
    }
    assertEquals(MAGIC_2, out.getInt(832));
  }

  @Test
  void tilesCountOnlyWhereTheyAre() {
    ByteBuffer without = state(extended(11008, 0x600e7, 0xe7));
    assertEquals(2816, without.getInt(SOFTWARE_AT + 16));
    assertEquals(MAGIC_2, without.getInt(2816));
    assertEquals(MAGIC_2, without.getInt(11008));

    ByteBuffer with = state(extended(11008, 0x600e7, 0x600e7));
    assertEquals(11008, with.getInt(SOFTWARE_AT + 16));
    assertEquals(extended(11008, 0x600e7, 0).getInt(2816), with.getInt(2816));
    assertEquals(MAGIC_2, with.getInt(11008));
  }

  @Test
  void aProcessorWithoutXsaveHasItsLegacyState() {
    ByteBuffer in = extended(512, 0, 0);
    SignalFrame frame = new SignalFrame(new Registers(registers(-1, 0)), MASK, in, RESTORE);

    assertEquals(6, frame.bytes().getLong(FLAGS_AT));
    assertEquals(in, state(in).slice(0, 512));
  }

  @Test
  void thisProcessHasTheCode() throws Exception {
    long pid = ProcessHandle.current().pid();
    Gadgets gadgets = Gadgets.find(pid);
    assertNotNull(gadgets);
    assertEquals("0f05c3", code(pid, gadgets.call(), 3));
    assertEquals(gadgets.call() + 2, gadgets.called());
    String restore = code(pid, gadgets.restore(), (int) (gadgets.restored() - gadgets.restore()));
    assertTrue(restore.matches("(48c7c0|b8)0f0000000f05"), restore);
  }

  private static String code(long pid, long address, int length) throws LinuxException {
    try (ProcessMemory memory = new ProcessMemory(pid);
        NativeBuffer copy = NativeBuffer.allocate(length)) {
      memory.add(address, length);
      memory.read(copy, 0);
      byte[] bytes = new byte[length];
      copy.view(0, length).get(bytes);
      return HexFormat.of().formatHex(bytes);
    }
  }
}
