// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Filters as libseccomp and others write them, on calls that are never made. */
class SeccompProgramTest {
  private static final int ERRNO_1 = 0x50001;
  private static final int TRAP = 0x30000;

  /** Each instruction: code, jump if true, jump if false, constant. */
  private static SeccompProgram program(long... fields) {
    int length = fields.length / 4;
    ByteBuffer bytes = ByteBuffer.allocate(length * 8).order(ByteOrder.nativeOrder());
    for (int i = 0; i < fields.length; i += 4) {
      bytes.putShort((short) fields[i]);
      bytes.put((byte) fields[i + 1]).put((byte) fields[i + 2]).putInt((int) fields[i + 3]);
    }
    return new SeccompProgram(bytes, length);
  }

  private static int ask(SeccompProgram program, int number, long... arguments) {
    return program.evaluate(SeccompProgram.call(number, 0x7f00_0000_1234L, arguments));
  }

  @Test
  void aDenyListLetsTheRestPass() {
    SeccompProgram deny =
        program(
            0x20,
            0,
            0,
            4, // architecture
            0x15,
            0,
            5,
            0xc000003eL,
            0x20,
            0,
            0,
            0, // number
            0x35,
            0,
            1,
            0x40000000L, // x32
            0x15,
            0,
            2,
            0xffffffffL,
            0x15,
            1,
            0,
            57, // fork
            0x06,
            0,
            0,
            0x7fff0000L,
            0x06,
            0,
            0,
            0x80000000L);

    assertTrue(SeccompProgram.permits(ask(deny, 323, 0x80801)));
    assertTrue(SeccompProgram.permits(ask(deny, 3, 7)));
    assertEquals(SeccompProgram.KILL_PROCESS, ask(deny, 57));
  }

  @Test
  void anAllowListStopsTheRest() {
    SeccompProgram allow =
        program(
            0x20,
            0,
            0,
            0,
            0x15,
            2,
            0,
            3,
            0x15,
            1,
            0,
            202,
            0x06,
            0,
            0,
            TRAP,
            0x06,
            0,
            0,
            0x7fff0000L);

    assertTrue(SeccompProgram.permits(ask(allow, 3)));
    assertEquals(TRAP, ask(allow, 323));
  }

  @Test
  void argumentsHaveTwoHalves() {
    // Only the first argument 0x1_0000_0002 is refused.
    SeccompProgram one =
        program(
            0x20,
            0,
            0,
            16,
            0x15,
            0,
            3,
            2,
            0x20,
            0,
            0,
            20,
            0x15,
            0,
            1,
            1,
            0x06,
            0,
            0,
            ERRNO_1,
            0x06,
            0,
            0,
            0x7fff0000L);

    assertEquals(ERRNO_1, ask(one, 3, 0x1_0000_0002L));
    assertEquals(SeccompProgram.ALLOW, ask(one, 3, 2));
  }

  @Test
  void arithmeticAndScratchMemory() {
    // ((64 - 4) / 5 | 1 ^ ...) kept in memory, moved to X and back, returned.
    SeccompProgram all =
        program(
            0x80, 0, 0, 0, // A = 64
            0x14, 0, 0, 4, // 60
            0x34, 0, 0, 5, // 12
            0x44, 0, 0, 1, // 13
            0xa4, 0, 0, 7, // 10
            0x64, 0, 0, 3, // 80
            0x74, 0, 0, 1, // 40
            0x54, 0, 0, 0x38, // 40
            0x02, 0, 0, 15, // M[15] = 40
            0x61, 0, 0, 15, // X = 40
            0x00, 0, 0, 2, // A = 2
            0x2c, 0, 0, 0, // 80
            0x0c, 0, 0, 0, // 120
            0x84, 0, 0, 0, // -120
            0x07, 0, 0, 0, // X = A
            0x00, 0, 0, 0, 0x87, 0, 0, 0, // A = X
            0x05, 0, 0, 1, // over the next
            0x06, 0, 0, 1, 0x16, 0, 0, 0);

    assertEquals(-120, ask(all, 0));
  }

  @Test
  void comparisonsAreUnsignedAndMayTestBits() {
    SeccompProgram greater =
        program(0x00, 0, 0, 0x80000000L, 0x25, 0, 1, 1, 0x06, 0, 0, 1, 0x06, 0, 0, 2);
    SeccompProgram bits =
        program(
            0x01, 0, 0, 6, 0x00, 0, 0, 4, 0x4d, 1, 0, 0, 0x06, 0, 0, 1, 0x45, 0, 1, 3, 0x06, 0, 0,
            2, 0x06, 0, 0, 3);

    assertEquals(1, ask(greater, 0));
    assertEquals(3, ask(bits, 0));
  }

  @Test
  void whatIsNotUnderstoodKills() {
    int kill = SeccompProgram.KILL_PROCESS;
    assertEquals(kill, ask(program(0x30, 0, 0, 0, 0x06, 0, 0, 0x7fff0000L), 3)); // byte load
    assertEquals(kill, ask(program(0x20, 0, 0, 64, 0x06, 0, 0, 0x7fff0000L), 3)); // beyond
    assertEquals(kill, ask(program(0x02, 0, 0, 16, 0x06, 0, 0, 0x7fff0000L), 3));
    assertEquals(kill, ask(program(0x05, 0, 0, 0xffffffffL, 0x06, 0, 0, 0x7fff0000L), 3));
    assertEquals(kill, ask(program(), 3));
    assertEquals(0, ask(program(0x01, 0, 0, 0, 0x3c, 0, 0, 0, 0x06, 0, 0, 0x7fff0000L), 3));
    for (int action : new int[] {kill, 0, TRAP, ERRNO_1, 0x7fc00000, 0x7ff00000}) {
      assertFalse(SeccompProgram.permits(action));
    }
  }
}
