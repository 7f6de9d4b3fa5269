// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;

/** Ground for tests of a machine's life. */
abstract class LifecycleGround {
  final Path root;
  @AutoClose final Bench bench;

  LifecycleGround(Path root) throws IOException {
    this.root = root;
    bench = new Bench(root);
  }

  QemuHypervisor anotherDriver() {
    return new QemuHypervisor(Bench.installation(root));
  }

  /** Connects. The user network accepts on the guest's behalf, whether or not the guest listens. */
  static void connect(InetSocketAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(address, 2000);
    }
  }
}
