// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryRegion.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how guest memory is found in the mappings of a process. */
class GuestMapsTest {
  private static final String OTHER =
      """
        00400000-00500000 r-xp 00000000 fe:00 7       /usr/bin/qemu-system-x86_64
        """;

  @Test
  void anonymousMemoryOverPartsOfTheImageIsARegionOfItsOwn() {
    String maps =
        OTHER
            + """
        7f0000000000-7f0000001000 rw-p 00000000 fe:00 42      /i m
        7f0000001000-7f0000003000 rw-p 00000000 00:00 0\s
        7f0000003000-7f0000004000 rw-p 00003000 fe:00 42      /i m
        7f0000004000-7f0000009000 rw-p 00000000 00:00 0\s
        """;
    assertEquals(
        List.of(
            new MemoryRegion(0, 0x7f0000000000L, 0x1000, Kind.PRIVATE_IMAGE),
            new MemoryRegion(0x1000, 0x7f0000001000L, 0x2000, Kind.ANONYMOUS),
            new MemoryRegion(0x3000, 0x7f0000003000L, 0x1000, Kind.PRIVATE_IMAGE)),
        GuestMaps.parse(1, maps, "/i m", 0x4000).regions());
  }

  @Test
  void replacedEndsAreFoundFromWhatIsLeft() {
    String maps =
        """
        7f0000000000-7f0000001000 rw-p 00000000 00:00 0\s
        7f0000001000-7f0000002000 rw-p 00001000 fe:00 42      /i (deleted)
        7f0000002000-7f0000008000 rw-p 00000000 00:00 0\s
        """;
    assertEquals(
        List.of(
            new MemoryRegion(0, 0x7f0000000000L, 0x1000, Kind.ANONYMOUS),
            new MemoryRegion(0x1000, 0x7f0000001000L, 0x1000, Kind.PRIVATE_IMAGE),
            new MemoryRegion(0x2000, 0x7f0000002000L, 0x1000, Kind.ANONYMOUS)),
        GuestMaps.parse(1, maps, "/i", 0x3000).regions());
  }

  @Test
  void aGapOrAnAbsentImageIsAnError() {
    String maps =
        """
        7f0000000000-7f0000001000 rw-s 00000000 00:01 42      /i
        7f0000002000-7f0000003000 rw-s 00002000 00:01 42      /i
        """;
    assertThrows(RametException.class, () -> GuestMaps.parse(1, maps, "/i", 0x3000));
    assertThrows(RametException.class, () -> GuestMaps.parse(1, OTHER, "/i", 0x3000));
    assertThrows(RametException.class, () -> GuestMaps.parse(1, maps, "/i", 0x4000));
  }
}
