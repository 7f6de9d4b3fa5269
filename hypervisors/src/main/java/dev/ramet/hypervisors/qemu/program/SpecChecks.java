// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Checks machine specifications and saved states before QEMU starts, which would refuse them later.
 */
public final class SpecChecks {
  private static final long MIB = 1 << 20;

  /** The formats of kernels that QEMU boots, the preferred one first. */
  public static final List<KernelFormat> KERNELS = List.of(KernelFormat.BZIMAGE, KernelFormat.ELF);

  /** Matches digits and dots only, so that parsing the address asks no name server. */
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

  private SpecChecks() {}

  public static void check(VmSpec spec) {
    if (spec.cpuCount() < 1) {
      throw RametException.invalid("cpuCount", "less than 1");
    }
    if (spec.memoryBytes() < MIB || spec.memoryBytes() % MIB != 0) {
      throw RametException.invalid("memoryBytes", "not a positive multiple of 1 MiB");
    }
    requireReadable("boot.kernels", kernel(spec));
    Path initrd = spec.boot().initrd();
    if (initrd != null) {
      requireReadable("boot.initrd", initrd);
    }
    spec.disks().forEach(disk -> check(disk.image()));
    NetworkPlan.User network = network(spec);
    if (!isLoopback(network.address())) {
      throw RametException.invalid("network.address", "not an IPv4 loopback address");
    }
    for (int port : network.ports()) {
      if (port < 1 || port > 65_535) {
        throw RametException.invalid("network.ports", "not a port: " + port);
      }
    }
  }

  /** Returns the kernel to boot. */
  static Path kernel(VmSpec spec) {
    for (KernelFormat format : KERNELS) {
      Path kernel = spec.boot().kernels().get(format);
      if (kernel != null) {
        return kernel;
      }
    }
    throw RametException.invalid("boot.kernels", "none of " + KERNELS);
  }

  /** Returns the network, which is of the only kind that this driver sets up. */
  public static NetworkPlan.User network(VmSpec spec) {
    if (spec.network() instanceof NetworkPlan.User user) {
      return user;
    }
    throw RametException.invalid("network", "not user networking: " + spec.network().kind());
  }

  private static void check(Attachment disk) {
    if (disk instanceof Attachment.Socket socket) {
      if (socket.protocol() != Attachment.Protocol.NBD) {
        throw new RametException(
            ErrorCode.UNSUPPORTED,
            "QEMU machines are not given disks by " + disk.kind() + ": " + socket.socket(),
            "use a storage backend that hands out files, block devices or nbd sockets",
            null);
      }
      requireReadable("disks", socket.socket());
    } else {
      requireReadable("disks", disk.path());
    }
  }

  /** Checks that a saved machine fits {@code own}; the error names the first difference. */
  public static void checkIdentity(VmIdentity saved, VmIdentity own) {
    requireEqual("hypervisor", saved.hypervisor(), own.hypervisor());
    requireEqual("version", saved.version(), own.version());
    TreeSet<String> keys = new TreeSet<>(saved.machine().keySet());
    keys.addAll(own.machine().keySet());
    for (String key : keys) {
      requireEqual(
          key,
          saved.machine().getOrDefault(key, "(none)"),
          own.machine().getOrDefault(key, "(none)"));
    }
  }

  private static void requireEqual(String key, String saved, String own) {
    if (!saved.equals(own)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the saved machine's " + key + " is " + saved + ", this one's is " + own,
          "restore it where " + key + " is " + saved + ", or start from its disk",
          null);
    }
  }

  /** Returns the memory image's path as the kernel will show it. */
  public static Path imagePath(SavedVm saved, VmSpec spec) {
    if (!(saved.memory() instanceof MemorySource.MappedImage memory)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "QEMU maps memory images and does not take pages from a fault handler: " + saved.memory(),
          "keep memory images in a storage backend whose images are local, or use a hypervisor"
              + " that states fault-handler",
          null);
    }
    try {
      Path path = memory.path().toRealPath();
      if (Files.isRegularFile(path) && Files.size(path) != spec.memoryBytes()) {
        throw new RametException(
            ErrorCode.CORRUPT,
            "the memory image has "
                + Files.size(path)
                + " bytes, the machine has "
                + spec.memoryBytes()
                + ": "
                + path);
      }
      return path;
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.CORRUPT, "no memory image: " + memory.path() + ": " + e.getMessage(), e);
    }
  }

  private static void requireReadable(String field, Path path) {
    if (!Files.isReadable(path)) {
      throw RametException.invalid(field, "cannot be read: " + path);
    }
  }

  private static boolean isLoopback(String address) {
    try {
      return IPV4.matcher(address).matches() && InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
