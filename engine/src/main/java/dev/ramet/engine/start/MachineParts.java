// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.agent.host.Agent;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.guard.StartGate;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.EgressEnforcer;
import dev.ramet.engine.machine.HostNetwork;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.machine.Readiness;
import dev.ramet.engine.machine.RestoreMemory;
import dev.ramet.engine.machine.VmLauncher;
import dev.ramet.engine.machine.WorkingSetPrefetcher;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.volume.VolumeLinks;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The parts that start machines and reach the agents in them.
 *
 * @param agent the client of guest agents
 * @param confinement applies egress rules
 * @param agents sets up agents
 * @param launcher has the hypervisor run machines
 * @param starter starts machines
 * @param readiness prepares templates' guests for their capture
 */
record MachineParts(
    Agent agent,
    EgressEnforcer confinement,
    AgentSetup agents,
    VmLauncher launcher,
    MachineStarter starter,
    Readiness readiness) {
  /**
   * Connects the parts.
   *
   * @param facts the facts about the hypervisor
   * @param hosts connects machines to this host
   * @param gate lets machines start
   */
  static MachineParts assemble(
      EngineConfig config,
      RootContents root,
      HypervisorFacts facts,
      HostNetwork hosts,
      GuestNetwork network,
      VolumeLinks links,
      StartGate gate,
      WorkingSetPrefetcher workingSets) {
    Agent agent = new Agent();
    EgressEnforcer confinement = new EgressEnforcer(network.egress(), network.requests());
    AgentSetup agents =
        new AgentSetup(
            agent,
            links,
            network.requests(),
            config.settings().get(AgentSetup.AGENT_TIMEOUT),
            root.layout().root(),
            config.steps());
    VmLauncher launcher =
        new VmLauncher(
            root.hypervisor(),
            facts,
            hosts,
            config.settings().get(VmLauncher.START_TIMEOUT),
            root.storage(),
            new RestoreMemory(root.storage(), facts.faultHandler()),
            root.layout(),
            confinement);
    MachineStarter starter =
        new MachineStarter(
            launcher,
            root.storage(),
            root.layout(),
            workingSets,
            agents,
            new MachineStarter.Starts(
                gate, facts.features().contains(HypervisorFeature.STOPS_ON_DISK_ERROR)),
            config.steps());
    return new MachineParts(
        agent, confinement, agents, launcher, starter, new Readiness(agent, root.layout().root()));
  }

  /** Creates the prefetcher of working sets, to be stopped when the engine closes. */
  static WorkingSetPrefetcher workingSets(
      EngineConfig config,
      RootContents root,
      SnapshotReclaimer reclaimer,
      Registry metrics,
      ScheduledExecutorService timer,
      Undo close) {
    WorkingSetPrefetcher workingSets =
        new WorkingSetPrefetcher(
            config.settings(),
            root.layout(),
            root.storage(),
            root.snapshots(),
            root.sandboxes(),
            reclaimer,
            metrics,
            timer);
    close.add("working sets", workingSets::close);
    return workingSets;
  }
}
