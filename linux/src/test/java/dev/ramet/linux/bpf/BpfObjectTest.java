// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.linux.bpf.BpfObject.MapForm;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BpfObjectTest {
  private static byte[] file() throws IOException {
    try (InputStream file = BpfObject.class.getResourceAsStream("egress.bpf.o")) {
      return file.readAllBytes();
    }
  }

  private static void assertRefused(String why, byte[] file) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> BpfObject.read(file));
    assertEquals(why, refused.getMessage());
  }

  @Test
  void definitionsAreRead() throws Exception {
    BpfObject object = BpfObject.read(file());
    assertEquals("Apache-2.0", object.license());
    assertEquals(new MapForm(12, 4, 4, 1, 0), object.map("rules"));
    assertEquals(new MapForm(11, 24, 4, 1, 1), object.map("networks"));
    assertEquals(new MapForm(2, 4, 8, 1, 0), object.map("settings"));
    assertEquals(new MapForm(9, 8, 24, 4096, 0), object.map("by_socket"));
    assertEquals(new MapForm(9, 4, 24, 7, 0), object.map("by_port").withEntries(7));
    assertThrows(IllegalArgumentException.class, () -> object.map("egress.bpf.c"));
  }

  @Test
  void programsNeedTheirMaps() throws Exception {
    BpfObject object = BpfObject.read(file());
    IllegalArgumentException unknown =
        assertThrows(IllegalArgumentException.class, () -> object.link("cgroup/bind4", Map.of()));
    assertEquals("the BPF object has no program cgroup/bind4", unknown.getMessage());
    IllegalArgumentException missing =
        assertThrows(
            IllegalArgumentException.class, () -> object.link("cgroup/sendmsg4", Map.of()));
    assertEquals("the BPF program needs the map rules", missing.getMessage());
  }

  @Test
  void otherFilesAreRefused() throws Exception {
    assertRefused("a truncated BPF object", new byte[3]);
    assertRefused("not a BPF object in little-endian order", new byte[100]);
    byte[] whole = file();
    assertRefused("a truncated BPF object", Arrays.copyOf(whole, 5000));
    byte[] big = whole.clone();
    big[5] = 2;
    assertRefused("not a BPF object in little-endian order", big);
    byte[] native64 = whole.clone();
    native64[18] = 62;
    assertRefused("not a BPF object in little-endian order", native64);
  }
}
