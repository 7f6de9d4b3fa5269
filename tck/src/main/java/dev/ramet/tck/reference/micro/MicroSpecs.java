// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Refuses specifications and saved states that cannot be before anything is started. */
final class MicroSpecs {
  static final String ID = "reference-micro";

  /** The file in the directory of a saved state. */
  static final String STATE = "state";

  private static final long MIB = 1 << 20;

  private MicroSpecs() {}

  static VmIdentity identity(VmSpec spec) {
    return new VmIdentity(
        ID,
        "1",
        Map.of(
            "cpuCount", Integer.toString(spec.cpuCount()),
            "memoryBytes", Long.toString(spec.memoryBytes())));
  }

  /** Returns the network, which is of the only kind that these machines have. */
  static NetworkPlan.Tap network(VmSpec spec) {
    if (spec.network() instanceof NetworkPlan.Tap tap) {
      return tap;
    }
    throw RametException.invalid("network", "not a tap device: " + spec.network());
  }

  static void check(VmSpec spec) {
    if (spec.cpuCount() < 1) {
      throw RametException.invalid("cpuCount", "less than 1");
    }
    if (spec.memoryBytes() < MIB || spec.memoryBytes() % MIB != 0) {
      throw RametException.invalid("memoryBytes", "not a positive multiple of 1 MiB");
    }
    if (!Files.isDirectory(spec.directory())) {
      throw RametException.invalid("directory", "not a directory: " + spec.directory());
    }
    Path kernel = spec.boot().kernels().get(KernelFormat.ELF);
    if (kernel == null || !Files.isReadable(kernel)) {
      throw RametException.invalid("boot.kernels", "no ELF kernel that can be read: " + kernel);
    }
    for (Disk disk : spec.disks()) {
      if (!Files.isReadable(disk.image().path())) {
        throw RametException.invalid("disks", "cannot be read: " + disk.image().path());
      }
    }
    network(spec);
  }

  static void checkPort(int port) {
    if (port < 1 || port > 65_535) {
      throw RametException.invalid("port", "not a port: " + port);
    }
  }

  static void checkIdentity(VmIdentity saved, VmIdentity own) {
    if (!saved.equals(own)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "the saved machine is " + saved + ", this one is " + own);
    }
  }

  /** Checks a saved state, also that each disk is found where the saved machine had it. */
  static void checkState(VmSpec spec, SavedVm saved) {
    try {
      if (Files.size(saved.memory().path()) != spec.memoryBytes()) {
        throw corrupt("not the memory of this machine: " + saved.memory().path());
      }
      List<String> lines = Files.readAllLines(saved.devices().resolve(STATE));
      if (lines.size() < 2
          || !lines.get(0).equals("micro 1 " + spec.memoryBytes())
          || !lines.get(lines.size() - 1).equals("end")) {
        throw corrupt("not a saved state: " + saved.devices());
      }
      for (String line : lines.subList(1, lines.size() - 1)) {
        String[] disk = line.split(" ", -1);
        Path recorded = spec.directory().resolve(disk[1]);
        if (Files.size(recorded) != Long.parseLong(disk[2])) {
          throw corrupt("not the disk of the saved machine: " + recorded);
        }
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.CORRUPT, "the saved state does not fit: " + e, e);
    }
  }

  private static RametException corrupt(String what) {
    return new RametException(ErrorCode.CORRUPT, what);
  }
}
