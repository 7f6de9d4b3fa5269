// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.network.EgressFilter;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;

/**
 * Applies egress rules to machines. The rules are in force before a machine runs that may open
 * connections, and until it has exited. Thread-safe.
 */
public final class EgressEnforcer {
  private static final System.Logger LOG = System.getLogger(EgressEnforcer.class.getName());

  private final EgressFilter egress;
  private final GuestRequests requests;

  public EgressEnforcer(EgressFilter egress, GuestRequests requests) {
    this.egress = egress;
    this.requests = requests;
  }

  /** Applies the rules to a machine that does not run yet. */
  void confine(MachineStarter.Order order, VmSpec spec, long pid) {
    if (order.outbound()) {
      confine(
          Layout.machineName(order.sandboxId(), order.number()),
          pid,
          spec.network().hostAddress(),
          order.rules().network());
    }
  }

  /** Removes the rules when the machine exits. */
  void releaseAtEnd(MachineStarter.Order order, RunningVm vm) {
    if (order.outbound()) {
      releaseAtEnd(Layout.machineName(order.sandboxId(), order.number()), vm);
    }
  }

  /**
   * Reapplies the rules to a machine that was found again. Until then, the previous rules stay in
   * force.
   */
  void again(SandboxRecord record, RunningVm vm) {
    if (!record.outbound()) {
      return;
    }
    String machine = Layout.machineName(record.id(), record.machine().number());
    try {
      confine(machine, vm.pid(), record.machine().hostAddress(), record.terms().rules().network());
      releaseAtEnd(machine, vm);
    } catch (RametException e) {
      LOG.log(System.Logger.Level.WARNING, "the network of " + record.id() + " is as it was", e);
    }
  }

  /** Changes the rules of a running machine. */
  public void change(SandboxRecord record, NetworkRules rules) {
    SandboxRecord.Machine machine = record.machine();
    egress.change(
        Layout.machineName(record.id(), machine.number()),
        machine.hostAddress(),
        rules,
        requests.rules(rules.requests()));
  }

  private void confine(String machine, long pid, String hostAddress, NetworkRules rules) {
    egress.confine(machine, pid, hostAddress, rules, requests.rules(rules.requests()));
  }

  private void releaseAtEnd(String machine, RunningVm vm) {
    try {
      var unused = vm.exit().whenComplete((exit, failure) -> egress.release(machine));
    } catch (RametException e) {
      LOG.log(System.Logger.Level.DEBUG, "the next start removes the group of " + machine, e);
    }
  }
}
