// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processor that guests see under KVM ({@code -cpu host}). */
public final class HostCpu {
  private HostCpu() {}

  /** Returns the model's name as the kernel gives it, or "unknown". */
  public static String name() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
