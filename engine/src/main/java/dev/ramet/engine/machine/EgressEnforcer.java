// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.egress.filter.EgressFilter;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.RunningVm;

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
  void confine(MachineOrder order, NetworkPlan network, EgressPoint point) {
    if (order.outbound()) {
      confine(
          Layout.machineName(order.sandboxId(), order.number()),
          point,
          HostNetwork.address(network),
          order.rules().network());
    }
  }

  /** Removes the rules when the machine exits. */
  void releaseAtEnd(MachineOrder order, RunningVm vm) {
    if (order.outbound()) {
      releaseAtEnd(Layout.machineName(order.sandboxId(), order.number()), vm);
    }
  }

  /**
   * Reapplies the rules to a machine that was found again. Until then, the previous rules stay in
   * force.
   */
  void reapply(SandboxRecord record, RunningVm vm) {
    if (!record.outbound()) {
      return;
    }
    String machine = Layout.machineName(record.id(), record.machine().number());
    try {
      confine(
          machine, vm.egress(), record.machine().hostAddress(), record.terms().rules().network());
      releaseAtEnd(machine, vm);
    } catch (RametException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "cannot reapply the network rules of " + record.id() + "; the old ones stay in force",
          e);
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

  /** Fails for a guest that would send past the rules. */
  private void confine(String machine, EgressPoint point, String own, NetworkRules rules) {
    if (!(point instanceof EgressPoint.Process process)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "network: this host cannot filter the traffic of " + machine + " at " + point,
          "create it without allow_internet_access, or use a hypervisor with user networking",
          null);
    }
    egress.confine(machine, process.pid(), own, rules, requests.rules(rules.requests()));
  }

  private void releaseAtEnd(String machine, RunningVm vm) {
    try {
      var unused = vm.exit().whenComplete((exit, failure) -> egress.release(machine));
    } catch (RametException e) {
      LOG.log(
          System.Logger.Level.DEBUG, "the next start removes the control group of " + machine, e);
    }
  }
}
