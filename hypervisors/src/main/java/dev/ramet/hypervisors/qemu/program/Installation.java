// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The QEMU that a probe found, and how to use it.
 *
 * @param binary the program
 * @param setsid the program that starts QEMU in a new session
 * @param version QEMU's own version with the packager's part, on which device state may depend too
 * @param machine the versioned machine type behind the alias {@code pc}, because the alias means
 *     another machine after an upgrade
 * @param accelerator what executes guest code
 * @param hostCpu the processor's name under KVM, whose guests see it; empty otherwise
 */
public record Installation(
    Path binary,
    Path setsid,
    String version,
    String machine,
    Accelerator accelerator,
    String hostCpu) {
  /** The id of this driver; see {@link dev.ramet.spi.Provider#id}. */
  public static final String ID = "qemu";

  /** Returns the major version. */
  int major() {
    return Integer.parseInt(version.substring(0, version.indexOf('.')));
  }

  /** Returns the identity on which a saved state of a machine with this specification depends. */
  public VmIdentity identity(VmSpec spec) {
    Map<String, String> shape = new LinkedHashMap<>();
    shape.put("machine", machine);
    shape.put("accelerator", accelerator.id());
    shape.put("cpu", accelerator.cpu());
    shape.put("cpuCount", Integer.toString(spec.cpuCount()));
    shape.put("memoryBytes", Long.toString(spec.memoryBytes()));
    shape.put("disks", Integer.toString(spec.disks().size()));
    shape.put("network", "virtio-user");
    if (!hostCpu.isEmpty()) {
      shape.put("hostCpu", hostCpu);
    }
    return new VmIdentity(ID, version, shape);
  }
}
