// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import java.util.List;

/**
 * The parts of a running QEMU's command line that its identity depends on. The running process is
 * asked rather than the installation on disk, because QEMU may have been upgraded since its start.
 *
 * @param machine the machine type
 * @param accelerator what executes guest code
 * @param ramPath the file of main memory, as the kernel shows its mapping
 */
public record RunningCommand(String machine, Accelerator accelerator, String ramPath) {
  public static RunningCommand parse(List<String> args) {
    try {
      JsonNode ram = Qmp.JSON.readTree(optionValue(args, "-object"));
      return new RunningCommand(
          beforeComma(optionValue(args, "-machine")),
          beforeComma(optionValue(args, "-accel")).equals(Accelerator.KVM.id())
              ? Accelerator.KVM
              : Accelerator.TCG,
          ram.path("mem-path").asText(CommandLine.MEMFD_MAPPING));
    } catch (JsonProcessingException e) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED, "the running QEMU was not started by this driver", e);
    }
  }

  /**
   * Returns whether QEMU stops the machine when a request to a disk fails. One that an earlier
   * version of this driver started reports the error to its guest.
   */
  public static boolean stopsOnDiskErrors(List<String> args) {
    return args.stream()
        .noneMatch(arg -> arg.startsWith("virtio-blk-pci,") && !arg.contains(",werror=stop"));
  }

  /** Returns the installation that started the process, as far as an identity depends on it. */
  public Installation installation(Installation present, String version) {
    return new Installation(
        present.binary(),
        present.setsid(),
        version,
        machine,
        accelerator,
        accelerator == Accelerator.KVM ? HostCpu.name() : "");
  }

  private static String optionValue(List<String> args, String option) {
    int at = args.indexOf(option);
    if (at < 0 || at + 1 >= args.size()) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED, "the running QEMU was started without " + option);
    }
    return args.get(at + 1);
  }

  private static String beforeComma(String value) {
    int comma = value.indexOf(',');
    return comma < 0 ? value : value.substring(0, comma);
  }
}
