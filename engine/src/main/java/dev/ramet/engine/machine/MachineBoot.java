// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.state.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.KernelFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/** Describes the files in a machine's directory that its hypervisor needs. */
final class MachineBoot {
  /** The first bytes of an ELF file, elf(5). */
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  private MachineBoot() {}

  /** Returns what a machine boots. */
  static Boot of(Path directory, boolean hasInitrd, String arguments) {
    Path kernel = Layout.kernel(directory);
    return new Boot(
        Map.of(format(kernel), kernel), hasInitrd ? Layout.initrd(directory) : null, arguments);
  }

  /** Returns a kernel's format; a file that is missing is left to the hypervisor to report. */
  private static KernelFormat format(Path kernel) {
    try (InputStream in = Files.newInputStream(kernel)) {
      return Arrays.equals(in.readNBytes(ELF.length), ELF)
          ? KernelFormat.ELF
          : KernelFormat.BZIMAGE;
    } catch (IOException e) {
      return KernelFormat.BZIMAGE;
    }
  }

  /** Refuses a kernel that the hypervisor cannot boot. */
  static void check(Boot boot, Set<KernelFormat> accepted) {
    if (boot.kernels().keySet().stream().noneMatch(accepted::contains)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the hypervisor boots kernels of the formats "
              + accepted
              + ", and the template's kernel is "
              + boot.kernels().keySet(),
          "import the template with a kernel of one of these formats, or use another hypervisor",
          null);
    }
  }

  /** Links a disk in a machine's directory, for a hypervisor that opens it there again. */
  static void link(Path directory, Disk disk) {
    Path link = directory.resolve(disk.name());
    try {
      Files.deleteIfExists(link);
      Files.createSymbolicLink(link, disk.image().path());
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot link a disk in " + directory + ": " + e.getMessage(), e);
    }
  }
}
