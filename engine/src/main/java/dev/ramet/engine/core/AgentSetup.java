// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.RametException;
import dev.ramet.engine.VolumeMount;
import dev.ramet.engine.store.SandboxRecord;
import dev.ramet.engine.volume.VolumeLinks;
import dev.ramet.spi.hypervisor.RunningVm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the agent of a machine is told so that it serves its sandbox. Thread-safe. */
final class AgentSetup {
  private final Context context;

  AgentSetup(Context context) {
    this.context = context;
  }

  /** Waits for the agent, and tells it what the machine was started for. */
  void initialise(Starter.Order order, RunningVm vm, int agentPort) {
    try {
      context
          .agent()
          .initialise(
              vm.forward(agentPort),
              order.environment(),
              order.accessToken(),
              order.rules().volumes(),
              !order.warm(),
              () -> !vm.exit().toCompletableFuture().isDone(),
              context.config().agentTimeout());
      if (!order.rules().network().requests().none()) {
        trust(vm, agentPort, order.accessToken());
      }
    } catch (RametException e) {
      throw Errors.orFull("cannot start " + order.sandboxId(), context.layout().root(), e);
    }
    mount(order, vm, agentPort);
  }

  private void mount(Starter.Order order, RunningVm vm, int agentPort) {
    List<VolumeMount> mounts = order.rules().volumes();
    if (!mounts.isEmpty()) {
      context.before(order.operation() + ".volumes");
      context
          .links()
          .attach(
              new VolumeLinks.Machine(order.sandboxId(), vm, agentPort, order.accessToken()),
              mounts,
              context.config().agentTimeout());
    }
  }

  /** Connects a machine that was found again with its volumes. */
  void mountAgain(SandboxRecord record, RunningVm vm) {
    Integer agentPort = record.agentPort();
    if (agentPort != null) {
      context
          .links()
          .attachAgain(
              new VolumeLinks.Machine(record.id(), vm, agentPort, record.terms().accessToken()),
              record.terms().rules().volumes());
    }
  }

  /** Has programs in the guest trust this host, which ends TLS where rules are about requests. */
  void trust(RunningVm vm, int agentPort, @Nullable String accessToken) {
    context
        .agent()
        .trust(
            vm.forward(agentPort),
            context.requests().authority(),
            accessToken,
            context.config().agentTimeout());
  }
}
