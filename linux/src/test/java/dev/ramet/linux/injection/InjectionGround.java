// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.testing.Require;
import dev.ramet.testing.Tracee;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Ground for tests of borrowed threads: a process that notices disturbances. */
@Timeout(900)
abstract class InjectionGround {
  static final int PAGES = 16;

  final Path directory;
  Path image;

  InjectionGround(Path directory) {
    this.directory = directory;
    this.image = directory;
  }

  @BeforeEach
  void needs() throws Exception {
    Require.feature("userfaultfd", Userfaultfd.supported() && works(), "needs Linux 6.7, x86-64");
    image = Files.write(directory.resolve("image"), new byte[PAGES * NativeBuffer.PAGE_BYTES]);
  }

  static boolean works() {
    try {
      Userfaultfd.openHere().close();
      return true;
    } catch (LinuxException e) {
      return false;
    }
  }

  Tracee tracee(String mode) throws Exception {
    return new Tracee(directory, image, PAGES, mode);
  }

  static void assertUndisturbed(Tracee tracee) throws Exception {
    long rounds = tracee.disturbances()[6];
    Thread.sleep(100);
    long end = System.nanoTime() + 300_000_000_000L;
    long[] after = tracee.disturbances();
    while (after[6] <= rounds && System.nanoTime() < end) {
      Thread.sleep(10);
      after = tracee.disturbances();
    }
    assertArrayEquals(new long[6], Arrays.copyOf(after, 6), "something was disturbed");
    assertTrue(after[6] > rounds, "the busy thread stands still");
  }
}
