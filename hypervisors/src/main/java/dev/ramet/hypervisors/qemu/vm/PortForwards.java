// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.process.HostPorts;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.hypervisors.qemu.program.CommandLine;
import dev.ramet.spi.hypervisor.NetworkPlan;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/** The guest ports of one machine that are forwarded from the host. Thread-safe. */
final class PortForwards {
  private final NetworkPlan.User network;
  private final Machine machine;
  private final Map<Integer, Integer> forwards = new HashMap<>();

  PortForwards(NetworkPlan.User network, Machine machine) {
    this.network = network;
    this.machine = machine;
    network.ports().forEach(p -> forwards.put(p, HostPorts.hostPort(p)));
  }

  /**
   * Returns the host address of a guest port. Throws {@code CONFLICT} when another process listens
   * on that address.
   */
  InetSocketAddress endpoint(int guestPort) {
    if (guestPort < 1 || guestPort > 65_535) {
      throw RametException.invalid("guestPort", "not a port: " + guestPort);
    }
    synchronized (forwards) {
      Integer known = forwards.get(guestPort);
      int hostPort = known == null ? HostPorts.hostPort(guestPort) : known;
      if (known == null) {
        add(guestPort, hostPort);
        forwards.put(guestPort, hostPort);
      }
      return new InetSocketAddress(network.address(), hostPort);
    }
  }

  private void add(int guestPort, int hostPort) {
    String rule = CommandLine.forward(network, guestPort, hostPort);
    String answer = runMonitorCommand("hostfwd_add net0 " + rule);
    if (!answer.isEmpty()) {
      // An earlier host process may have added the rule; then replace it.
      runMonitorCommand("hostfwd_remove net0 tcp:" + network.address() + ":" + hostPort);
      answer = runMonitorCommand("hostfwd_add net0 " + rule);
    }
    if (!answer.isEmpty()) {
      throw HostPorts.isTaken(network.address(), hostPort)
          ? taken(network.address(), hostPort)
          : new RametException(ErrorCode.HYPERVISOR_FAILED, "QEMU: " + answer.strip());
    }
  }

  /** Returns the error for an address that another process listens on. */
  static RametException taken(String address, int port) {
    return new RametException(
        ErrorCode.CONFLICT,
        "another process listens on " + address + ":" + port,
        "use another loopback address",
        null);
  }

  /** Runs a command of the human monitor and returns its output. */
  private String runMonitorCommand(String line) {
    ObjectNode arguments = Qmp.JSON.createObjectNode();
    arguments.put("command-line", line);
    return machine
        .execute("human-monitor-command", arguments, Deadline.after(QemuVm.TIMEOUT))
        .asText();
  }
}
