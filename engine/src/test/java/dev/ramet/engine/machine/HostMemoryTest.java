// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.process.MemInfo;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests which sizes of guests a machine takes, and for which it warns. */
final class HostMemoryTest {
  private static final long MIB = 1 << 20;
  private static final MemInfo MACHINE = new MemInfo(1000 * MIB, 300 * MIB, 0, 0);

  private static HostMemory memory(boolean overcommit) {
    return new HostMemory(overcommit, () -> MACHINE);
  }

  @Test
  void aGuestHasAtMostTheMemoryOfTheMachine() {
    memory(false).require(1000 * MIB);
    RametException e = assertThrows(RametException.class, () -> memory(false).require(1001 * MIB));
    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    assertEquals(
        "memoryMB: must be at most 1000, which is all that this machine has, not 1001",
        e.getMessage());
    assertTrue(String.valueOf(e.remedy()).contains("ramet.overcommit=true"), e::toString);
    memory(true).require(60_000 * MIB);
  }

  @Test
  void moreThanIsFreeIsAWarning() {
    assertNull(memory(false).warning(300 * MIB));
    assertEquals(
        "the sandbox may use 301 MiB of memory, and 300 MiB are free on the host; if it uses more,"
            + " the kernel kills it or another program",
        memory(false).warning(301 * MIB));
  }

  @Test
  void theMemoryOfThisMachineIsRead() throws IOException {
    MemInfo now = MemInfo.read();
    assertTrue(now.totalBytes() > 64 * MIB, now::toString);
    assertTrue(now.availableBytes() > 0 && now.availableBytes() <= now.totalBytes(), now::toString);
    assertTrue(now.unwrittenBytes() >= 0 && now.deviceCacheBytes() >= 0, now::toString);
  }
}
