// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.egress.filter.EgressFilter;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.EgressEnforcer;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import java.io.IOException;
import java.time.Duration;

/** Changes the network rules of existing sandboxes. Thread-safe. */
public final class NetworkChange {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final SandboxStore sandboxes;
  private final GuestRequests requests;
  private final EgressFilter egress;
  private final StepObserver steps;
  private final EgressEnforcer confinement;
  private final AgentSetup agents;

  public NetworkChange(
      SandboxStore sandboxes,
      GuestRequests requests,
      EgressFilter egress,
      EgressEnforcer confinement,
      AgentSetup agents,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.requests = requests;
    this.egress = egress;
    this.confinement = confinement;
    this.agents = agents;
    this.steps = steps;
  }

  /**
   * Sets which addresses the sandbox may reach. If this fails, the previous rules stay in force.
   */
  void set(LiveSandbox live, NetworkRules rules) {
    rules.checkNames();
    try (LiveSandbox.Hold hold = live.acquire("set network", TIMEOUT);
        Undo undo = new Undo()) {
      SandboxRecord before = sandboxes.get(live.id()).saved();
      if (!before.outbound()) {
        requireNoOutboundRules(live.id(), rules);
      }
      requests.check(rules.requests());
      SandboxRecord.Terms terms = before.terms();
      if (before.outbound()) {
        egress.check(rules);
        trustFor(live, before, rules);
        if (live.machine() != null) {
          undo.add(
              "rules of " + live.id(), () -> confinement.change(before, terms.rules().network()));
          confinement.change(before, rules);
        }
      }
      steps.before("network.commit");
      live.updateRecord(
          now -> now.withEnd(before.endAt(), terms.withRules(terms.rules().with(rules))),
          sandboxes::save);
      undo.commit();
    } catch (IOException e) {
      throw Errors.ioError("cannot set the network of " + live.id(), sandboxes.root(), e);
    }
  }

  /** Refuses rules that need outbound connections, for a sandbox that may not open any. */
  private static void requireNoOutboundRules(String id, NetworkRules rules) {
    String rule =
        !rules.allowOut().isEmpty()
            ? "network.allowOut"
            : rules.egressProxy() != null
                ? "network.egressProxy"
                : rules.requests().isEmpty() ? null : "network.rules";
    if (rule != null) {
      throw new RametException(
          ErrorCode.CONFLICT,
          rule + ": sandbox " + id + " may not open connections",
          "create it with allow_internet_access, and deny the addresses that it must not reach",
          null);
    }
  }

  private void trustFor(LiveSandbox live, SandboxRecord before, NetworkRules rules) {
    RunningVm vm = live.machine();
    Integer agentPort = before.agentPort();
    if (vm != null && agentPort != null && !rules.requests().isEmpty()) {
      agents.trust(vm, agentPort, AgentSetup.access(before));
    }
  }
}
