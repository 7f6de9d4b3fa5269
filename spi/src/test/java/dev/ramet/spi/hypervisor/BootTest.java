// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BootTest {
  private static final List<String> OWN = List.of("console=ttyS0", "root=/dev/vda");

  private static String line(String guestArguments) {
    return new Boot(Map.of(), null, guestArguments).commandLine(OWN);
  }

  @Test
  void theDriversArgumentsComeFirst() {
    assertEquals("console=ttyS0 root=/dev/vda rw quiet", line("rw quiet"));
    assertEquals("console=ttyS0 root=/dev/vda", line(""));
  }

  @Test
  void whatOlderTemplatesSayIsNotDoubled() {
    String older = "console=ttyS0 root=/dev/vda rw quiet";
    assertEquals(older, line(older));
    assertEquals("root=/dev/vda console=tty1 rw", line("console=tty1 rw"));
    assertEquals("console=ttyS0 rw  root=LABEL=a b", line("rw  root=LABEL=a b"));
  }

  @Test
  void partsOfNamesAreOtherNames() {
    assertEquals(
        "console=ttyS0 root=/dev/vda rootwait rootfstype=ext4", line("rootwait rootfstype=ext4"));
  }
}
