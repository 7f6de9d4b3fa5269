// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ProcessUsageTest {
  @Test
  void thisProcessHasUsedProcessorAndMemory() throws Exception {
    ProcessUsage usage = ProcessUsage.read(ProcessHandle.current().pid());
    assertTrue(usage.cpuTime().toMillis() > 0, usage.toString());
    assertTrue(usage.privateBytes() > 1 << 20, usage.toString());
  }

  @Test
  void theKernelsTextIsUnderstood() {
    String stat = "7 (a) b) R 1 7 7 0 -1 4194304 0 0 0 0 250 50 0 0 20 0 1 0 100 0 0";
    String smaps =
        """
        00400000-7ff rw-p 00000000 00:00 0 [rollup]
        Shared_Clean:          3 kB
        Shared_Dirty:          1 kB
        Private_Clean:         2 kB
        Private_Dirty:         5 kB
        """;
    String io = "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\n";
    assertEquals(
        new ProcessUsage(Duration.ofSeconds(3), 7 * 1024, 4 * 1024, 4096, 8192),
        ProcessUsage.parse(stat, smaps, io));
  }

  @Test
  void aProcessThatIsGoneIsAnError() {
    assertThrows(LinuxException.class, () -> ProcessUsage.read(1L << 30));
  }
}
