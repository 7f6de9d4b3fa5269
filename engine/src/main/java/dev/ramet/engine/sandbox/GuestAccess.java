// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.agent.host.Agent;
import dev.ramet.agent.host.FileTail;
import dev.ramet.agent.host.GuestLoad;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.sandboxes.MachineUsage;
import dev.ramet.engine.sandboxes.Metrics;
import dev.ramet.engine.sandboxes.ProgramOutput;
import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.process.ProcessUsage;
import dev.ramet.spi.hypervisor.RunningVm;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reaches the guests of sandboxes: their ports, their load and their consoles. Thread-safe. */
public final class GuestAccess {
  private static final int MAX_PORT = 65_535;
  private static final Duration ASK = Duration.ofSeconds(10);
  private static final Duration ASK_BRIEFLY = Duration.ofSeconds(1);

  /** Where the agent puts the program's output: in machines of container images, and in others. */
  private static final List<String> OUTPUT =
      List.of("/.ramet/start.log", "/var/lib/ramet/start.log");

  private final Agent agent;
  private final Layout layout;

  public GuestAccess(Agent agent, Layout layout) {
    this.agent = agent;
    this.layout = layout;
  }

  /** Refuses numbers that no TCP port has. */
  static void checkPort(int guestPort) {
    if (guestPort < 1 || guestPort > MAX_PORT) {
      throw RametException.invalid("port", "must be 1 to " + MAX_PORT);
    }
  }

  /** Returns the host address that reaches a TCP port of the guest. */
  InetSocketAddress endpoint(LiveSandbox live, int guestPort) {
    RunningVm vm = live.machine();
    if (vm == null || live.isPausing() || live.saved().state() != SandboxRecord.State.RUNNING) {
      throw new RametException(ErrorCode.NOT_FOUND, "sandbox " + live.id() + " is not running");
    }
    Standstill still = live.standstill();
    if (still != null) {
      // At once: the guest would not answer until there is room.
      throw still.error(live.id());
    }
    return vm.endpoint(guestPort);
  }

  /** Asks a running guest for its load. */
  Metrics metrics(LiveSandbox live) {
    RunningVm vm = live.answeringMachine();
    SandboxRecord record = live.saved();
    Integer port = record.agentPort();
    if (port == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "sandbox " + live.id() + " has no agent to ask for its metrics");
    }
    return AgentSetup.metrics(agent.load(vm.endpoint(port), AgentSetup.access(record), ASK));
  }

  /** Measures what a machine uses of the host. */
  MachineUsage usage(LiveSandbox live) {
    RunningVm vm = live.runningMachine();
    ProcessUsage used;
    try {
      used = ProcessUsage.read(vm.pid());
    } catch (LinuxException e) {
      throw new RametException(
          ErrorCode.CONFLICT, "the machine of sandbox " + live.id() + " has just ended", e);
    }
    return new MachineUsage(
        Instant.now(),
        used.cpuTime(),
        used.privateBytes(),
        used.sharedBytes(),
        new MachineUsage.Traffic(used.readBytes(), used.writtenBytes()),
        network(vm, live.saved()));
  }

  /** Returns the guest's own counters; null if its agent does not answer soon. */
  private MachineUsage.@Nullable Traffic network(RunningVm vm, SandboxRecord record) {
    Integer port = record.agentPort();
    if (port == null) {
      return null;
    }
    try {
      GuestLoad.Network network =
          agent.load(vm.endpoint(port), AgentSetup.access(record), ASK_BRIEFLY).network();
      return network == null
          ? null
          : new MachineUsage.Traffic(network.receivedBytes(), network.sentBytes());
    } catch (RametException e) {
      return null; // a guest that is too busy to answer is shown all the same
    }
  }

  /** Returns the output of the program that the template starts; null if it starts none. */
  @Nullable ProgramOutput programOutput(LiveSandbox live) {
    RunningVm vm = live.answeringMachine();
    SandboxRecord record = live.saved();
    Integer port = record.agentPort();
    if (port == null) {
      return null;
    }
    for (String file : OUTPUT) {
      FileTail tail = agent.tail(vm.endpoint(port), file, AgentSetup.access(record), ASK);
      if (tail != null) {
        return new ProgramOutput(tail.bytes(), tail.sizeBytes());
      }
    }
    return null;
  }

  /** Returns the file that holds the end of the guest's console output. */
  Path console(LiveSandbox live) {
    return Layout.console(layout.machine(live.id(), live.saved().machine().number()));
  }
}
