// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessTest {
  private static final long PID = ProcessHandle.current().pid();

  @Test
  void aCommandNameMayHoldSpacesAndParentheses() {
    String line =
        "77 (a) b (c) S 1 77 77 0 -1 4194304 1 0 0 0 3 4 0 0 20 0 1 0 987654 8192 200 1844";

    ProcessStat stat = ProcessStat.parse(line);

    assertEquals(new ProcessStat(77, "a) b (c", 'S', 987654), stat);
  }

  @Test
  void aProcessIsNamedByPidAndStart() throws Exception {
    Process child = new ProcessBuilder("sleep", "60").start();
    try {
      ProcessStat own = ProcessStat.read(PID);
      ProcessStat other = ProcessStat.read(child.pid());

      assertEquals(PID, own.pid());
      assertTrue(other.startTicks() > own.startTicks());
      assertEquals(other.startTicks(), ProcessStat.read(child.pid()).startTicks());
    } finally {
      child.destroyForcibly().waitFor();
    }
    LinuxException gone = assertThrows(LinuxException.class, () -> ProcessStat.read(child.pid()));
    assertEquals(LinuxException.ENOENT, gone.errno());
  }

  @Test
  void mapsLinesAreParsedWhole() {
    assertEquals(
        new ProcMaps.Mapping(
            0x7f00_0000_0000L,
            0x7f00_0000_2000L,
            "rw-p",
            0x1000,
            "fe:00",
            42,
            "/a b/c\nd (deleted)"),
        ProcMaps.parse(
            "7f0000000000-7f0000002000 rw-p 00001000 fe:00 42   /a b/c\\012d (deleted)"));
    ProcMaps.Mapping anonymous =
        ProcMaps.parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 ");
    assertEquals(0xffffffffff600000L, anonymous.start());
    assertEquals("", anonymous.path());
    assertTrue(anonymous.isAnonymous());
  }

  @Test
  void aMappingIsFoundAndItsCostSummed(@TempDir Path directory) throws Exception {
    Path file = Files.write(directory.resolve("im age"), new byte[8 * NativeBuffer.PAGE_BYTES]);
    try (NativeBuffer image = NativeBuffer.mapPrivate(file, NativeBuffer.PAGE_BYTES, 4096 * 4)) {
      image.view(0, 1).put(0, (byte) 1);
      image.replaceWithAnonymous(2L * 4096, 4096);

      var mappings =
          ProcMaps.read(PID).stream().filter(m -> m.path().equals(file.toString())).toList();

      assertEquals(2, mappings.size());
      assertEquals(image.address(), mappings.get(0).start());
      assertEquals(2 * 4096, mappings.get(0).lengthBytes());
      assertEquals(4096, mappings.get(0).offset());
      assertEquals(4 * 4096, mappings.get(1).offset());
      assertFalse(mappings.get(0).isShared() || mappings.get(0).isAnonymous());
      assertTrue(
          ProcMaps.read(PID).stream()
              .anyMatch(m -> m.start() == image.address() + 2 * 4096 && m.isAnonymous()));

      Smaps cost = Smaps.ofPath(PID, file.toString());
      assertEquals(4096, cost.anonymousBytes());
      assertEquals(4096, cost.privateDirtyBytes());
      assertTrue(cost.rssBytes() >= 4096 && cost.rssBytes() <= 3 * 4096);
      Smaps all = Smaps.ofProcess(PID);
      assertTrue(all.rssBytes() > all.anonymousBytes() && all.anonymousBytes() > 1 << 20);
    }
  }
}
