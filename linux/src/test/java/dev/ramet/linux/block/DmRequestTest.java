// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The layout of device-mapper's structures, against numbers that a C compiler gave. */
class DmRequestTest {
  @Test
  void theHeader() {
    try (DmRequest request = new DmRequest("name", 100)) {
      Memory memory = request.memory();
      assertEquals(412, memory.size());
      assertEquals(4, memory.getInt(0));
      assertEquals(412, memory.getInt(12));
      assertEquals(312, memory.getInt(16));
      assertEquals("name", memory.getString(48));
      memory.setInt(24, 3);
      memory.setInt(28, 1 << 5 | 1 << 1);
      memory.setInt(32, 9);
      // Minor 0x12345 of major 0xfd, as new_encode_dev() of the kernel packs them.
      memory.setLong(40, 0x45 | 0xfd << 8 | 0x12300 << 12);
      assertEquals(
          new DmDevice("name", new DeviceNumber(0xfd, 0x12345), 3, 9, true, false, true, false),
          request.device());
    }
    assertThrows(IllegalArgumentException.class, () -> new DmRequest("n".repeat(128), 0));
  }

  @Test
  void aTable() {
    DmTarget first = new DmTarget(0, 8, "linear", "7:0 0");
    DmTarget second = new DmTarget(8, 16, "snapshot", "7:1 7:2 PO 8");
    try (DmRequest request = DmRequest.table("t", List.of(first, second))) {
      Memory memory = request.memory();
      assertEquals(312 + 48 + 56, memory.size());
      assertEquals(2, memory.getInt(20));
      assertEquals(8, memory.getLong(312 + 8));
      assertEquals(48, memory.getInt(312 + 20));
      assertEquals("linear", memory.getString(312 + 24));
      assertEquals("7:0 0", memory.getString(312 + 40));
      assertEquals(8, memory.getLong(360));
      assertEquals(56, memory.getInt(360 + 20));
      assertEquals("snapshot", memory.getString(360 + 24));
      // In an answer, the second one's end counts from the first one's start.
      memory.setInt(360 + 20, 104);
      assertEquals(List.of(first, second), request.targets());
    }
    DmTarget tooLong = new DmTarget(0, 8, "a-name-of-16-byt", "");
    assertThrows(
        IllegalArgumentException.class, () -> DmRequest.table("t", List.of(tooLong)).close());
  }

  @Test
  void lists() {
    try (DmRequest request = new DmRequest("", 256)) {
      Memory memory = request.memory();
      assertTrue(request.deviceNames().isEmpty());
      memory.setLong(312, 0xfd01);
      memory.setInt(312 + 8, 32);
      memory.setString(312 + 12, "one");
      memory.setLong(344, 0xfd02);
      memory.setString(344 + 12, "two");
      assertEquals(
          Map.of("one", new DeviceNumber(253, 1), "two", new DeviceNumber(253, 2)),
          request.deviceNames());
    }
    try (DmRequest request = new DmRequest("", 256)) {
      Memory memory = request.memory();
      memory.setInt(312 + 4, 1);
      memory.setInt(312 + 8, 16);
      memory.setString(312 + 16, "snapshot");
      assertEquals(Map.of("snapshot", "1.16.0"), request.versions());
      assertFalse(request.isFull());
    }
  }

  @Test
  void deviceNumbers() {
    assertEquals(new DeviceNumber(253, 17), DeviceNumber.parse("253:17"));
    assertEquals("253:17", new DeviceNumber(253, 17).toString());
    assertThrows(IllegalArgumentException.class, () -> DeviceNumber.parse("/dev/dm-1"));
  }
}
