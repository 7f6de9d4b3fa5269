// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcfsTest {
  private static final List<String> SMAPS =
      """
      55d0-55e0 r-xp 00000000 00:1b 77 /usr/bin/vmm
      Rss:                 400 kB
      Anonymous:             8 kB
      VmFlags: rd ex mr mw me
      7f00-7f10 rw-p 00000000 07:00 131 /pool/volumes/s1.memory/s1.memory
      Anonymous:           600 kB
      7f10-7f20 rw-p 00001000 07:00 131 /pool/volumes/s1.memory/s1.memory
      Anonymous:            20 kB
      7f20-7f30 rwxp 00000000 00:00 0
      Anonymous:          3000 kB
      a000-b000 rw-p 00000000 00:00 0 [heap]
      Anonymous:           100 kB
      """
          .lines()
          .toList();

  @Test
  void anonymousMemoryIsToldApart() {
    Procfs.Anonymous memory = Procfs.anonymous(SMAPS, "/pool/volumes/s1.memory/s1.memory");
    assertEquals(new Procfs.Anonymous(3728, 620, 3000), memory);
  }

  @Test
  void ourOwnProcessIsRead() throws IOException {
    long pid = ProcessHandle.current().pid();
    assertTrue(Procfs.anonymous(pid, Path.of("/none")).all() > 1024);
    assertTrue(Procfs.status(pid, "VmRSS") > 1024);
    assertTrue(Procfs.arguments(pid).get(0).contains("java"));
  }
}
