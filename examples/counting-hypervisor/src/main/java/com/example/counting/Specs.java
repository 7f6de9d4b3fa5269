// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Rejects invalid specifications before anything is started. */
final class Specs {
  private static final long MIB = 1 << 20;
  private static final long MAX_MEMORY_BYTES = 1 << 30;

  /** The length of a socket address (unix(7)), without the terminating zero. */
  private static final int SOCKET_NAME_BYTES = 107;

  private Specs() {}

  static void check(VmSpec spec) {
    if (spec.cpuCount() < 1) {
      throw RametException.invalid("cpuCount", "less than 1");
    }
    if (spec.memoryBytes() < MIB || spec.memoryBytes() % MIB != 0) {
      throw RametException.invalid("memoryBytes", "not a positive multiple of 1 MiB");
    }
    if (spec.memoryBytes() > MAX_MEMORY_BYTES) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "machines that count have at most " + MAX_MEMORY_BYTES + " bytes");
    }
    if (!Files.isDirectory(spec.directory())) {
      throw RametException.invalid("directory", "not a directory: " + spec.directory());
    }
    Path socket = Path.of(Processes.absolute(spec.directory()), TrialMachine.SOCKET);
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length > SOCKET_NAME_BYTES) {
      throw RametException.invalid("directory", "too long for the name of a socket: " + socket);
    }
    if (spec.boot().kernels().isEmpty()) {
      throw RametException.invalid("boot.kernels", "no kernel");
    }
    for (Path kernel : spec.boot().kernels().values()) {
      if (!Files.isReadable(kernel)) {
        throw RametException.invalid("boot.kernels", "cannot be read: " + kernel);
      }
    }
    for (Disk disk : spec.disks()) {
      if (!Files.isReadable(disk.image().path())) {
        throw RametException.invalid("disks", "cannot be read: " + disk.image().path());
      }
    }
    NetworkPlan.User network = network(spec);
    if (!network.address().matches("127(\\.[0-9]{1,3}){3}")) {
      throw RametException.invalid("network.address", "no loopback address: " + network.address());
    }
    network.ports().forEach(Specs::checkPort);
  }

  /** Returns the network, which is of the only kind that the provider states. */
  static NetworkPlan.User network(VmSpec spec) {
    if (spec.network() instanceof NetworkPlan.User user) {
      return user;
    }
    throw RametException.invalid("network", "not user networking: " + spec.network());
  }

  static void checkPort(int port) {
    if (port < 1 || port > 65_535) {
      throw RametException.invalid("port", "not a port: " + port);
    }
  }

  /**
   * Returns what a saved state depends on. Include everything that makes your hypervisor refuse a
   * state, or worse, accept it and go wrong: its version, the machine's type, the processor's
   * model.
   */
  static VmIdentity identity(VmSpec spec) {
    return new VmIdentity(
        CountingProvider.ID,
        "1.0.0",
        Map.of(
            "cpuCount", Integer.toString(spec.cpuCount()),
            "memoryBytes", Long.toString(spec.memoryBytes())));
  }

  static void check(VmSpec spec, SavedVm saved) {
    if (!saved.identity().equals(identity(spec))) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "what was saved is " + saved.identity() + ", and this would be " + identity(spec));
    }
    Path image = saved.memory().path();
    try {
      if (!Files.isRegularFile(image) || Files.size(image) != spec.memoryBytes()) {
        throw new RametException(ErrorCode.CORRUPT, "not the memory of this machine: " + image);
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot read " + image + ": " + e, e);
    }
  }
}
