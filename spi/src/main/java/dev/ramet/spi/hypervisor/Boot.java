// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The code that a machine boots, and its arguments.
 *
 * @param kernels the kernel's file in each format that there is; at least one is a format that the
 *     driver states in {@link HypervisorFacts.Accepts#kernels}
 * @param initrd the initial RAM disk, or null
 * @param guestArguments the kernel arguments that concern the guest. The driver adds those that
 *     depend on its machine, see {@link #commandLine}
 */
public record Boot(Map<KernelFormat, Path> kernels, @Nullable Path initrd, String guestArguments) {
  /** Copies the map. */
  public Boot {
    kernels = Map.copyOf(kernels);
  }

  /**
   * Returns the kernel command line: the driver's own arguments, such as the console and the root
   * device, then the guest's. An argument whose name the guest's arguments have is left out, so
   * that older ones that name a console and a root device keep their meaning.
   *
   * @param own the driver's arguments, as {@code name=value} or {@code name}
   */
  public String commandLine(List<String> own) {
    List<String> guest = Arrays.asList(guestArguments.strip().split("\\s+"));
    StringBuilder line = new StringBuilder();
    for (String argument : own) {
      String name = name(argument);
      if (guest.stream().noneMatch(other -> name(other).equals(name))) {
        line.append(argument).append(' ');
      }
    }
    return line.append(guestArguments).toString().strip();
  }

  private static String name(String argument) {
    int end = argument.indexOf('=');
    return end < 0 ? argument : argument.substring(0, end);
  }
}
