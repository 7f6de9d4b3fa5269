// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.opentest4j.TestAbortedException;

/** Finds the programs and rights that tests need on their host, and skips or fails without them. */
public final class Host {
  private Host() {}

  /** Returns the QEMU to test with: RAMET_TEST_QEMU, or the one on the PATH. */
  public static Path qemu() {
    String chosen = System.getenv("RAMET_TEST_QEMU");
    return chosen == null ? needs("qemu", "qemu-system-x86_64") : Path.of(chosen);
  }

  /**
   * Returns the path of a program. Without it, skips the test, or fails it if RAMET_REQUIRE lists
   * the feature. RAMET_LEAVE_OUT skips the test in any case.
   */
  public static Path needs(String feature, String program) {
    if (isListed("RAMET_LEAVE_OUT", feature)) {
      throw new TestAbortedException(feature + " is left out");
    }
    for (String dir : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      if (!dir.isEmpty() && Files.isExecutable(Path.of(dir, program))) {
        return Path.of(dir, program);
      }
    }
    throw absent(feature, program + " is missing");
  }

  /**
   * Returns the directory that an environment variable names. Without it, skips the test, or fails
   * it if RAMET_REQUIRE lists the feature.
   */
  public static Path directory(String feature, String variable) {
    String value = System.getenv(variable);
    if (value == null) {
      throw absent(feature, variable + " is not set");
    }
    return Path.of(value);
  }

  /** Mounts a small file system, which requires root. */
  public static void mountTmpfs(Path at, String size) throws IOException, InterruptedException {
    if (run("mount", "-t", "tmpfs", "-o", "size=" + size, "ramet-test", at.toString()) != 0) {
      throw absent("root", "tmpfs cannot be mounted");
    }
  }

  public static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private static AssertionError absent(String feature, String what) {
    if (isListed("RAMET_REQUIRE", feature)) {
      return new AssertionError(what + ", and RAMET_REQUIRE lists " + feature);
    }
    throw new TestAbortedException(what);
  }

  private static boolean isListed(String variable, String feature) {
    return List.of(System.getenv().getOrDefault(variable, "").split(",", -1)).contains(feature);
  }
}
