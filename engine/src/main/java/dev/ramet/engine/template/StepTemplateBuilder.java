// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.agent.host.AgentAccess;
import dev.ramet.agent.host.GuestCommands;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.Shape;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.capture.CaptureOrder;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.machine.Readiness;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.sandbox.SandboxOrder;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.templates.BuildLog;
import dev.ramet.engine.templates.BuildStep;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes templates from other templates: runs the steps in a hidden sandbox of the source, and
 * captures it.
 */
public final class StepTemplateBuilder {
  private final SandboxLifecycle lifecycle;
  private final Readiness readiness;
  private final Capturer capturer;
  private final SnapshotReclaimer reclaimer;
  private final boolean outboundByDefault;
  private final StepObserver steps;

  /**
   * Creates the builder of a root.
   *
   * @param outboundByDefault whether guests may open connections, also while they are captured
   */
  public StepTemplateBuilder(
      SandboxLifecycle lifecycle,
      Readiness readiness,
      Capturer capturer,
      SnapshotReclaimer reclaimer,
      boolean outboundByDefault,
      StepObserver steps) {
    this.lifecycle = lifecycle;
    this.readiness = readiness;
    this.capturer = capturer;
    this.reclaimer = reclaimer;
    this.outboundByDefault = outboundByDefault;
    this.steps = steps;
  }

  /**
   * Makes a template. A template that has the same tags loses them but stays.
   *
   * @param version its name and tags
   * @param ids receives its id beforehand
   */
  SnapshotRecord derive(DerivedTemplate request, TaggedName version, BuildLog log, IdListener ids) {
    log.stepReached(0);
    try (SnapshotReclaimer.Pin pin = reclaimer.pin("template", request.source())) {
      SnapshotRecord source = pin.record();
      Integer port = source.agentPort();
      if (port == null) {
        throw new RametException(
            ErrorCode.UNSUPPORTED,
            "template " + request.source() + " has no agent that could do the steps",
            "start from a template with one, such as base",
            null);
      }
      ids.assigning(List.of(request.id()));
      LiveSandbox live = start(source, request, log);
      try (LiveSandbox.Hold hold = live.acquire("template")) {
        return make(live, port, request, version, log);
      } finally {
        lifecycle.discard(live);
      }
    }
  }

  private LiveSandbox start(SnapshotRecord source, DerivedTemplate request, BuildLog log) {
    int cpuCount = Objects.requireNonNullElse(request.cpuCount(), source.cpuCount());
    long memoryBytes = Objects.requireNonNullElse(request.memoryBytes(), source.memoryBytes());
    boolean warm = MachineStarter.canRestore(source, cpuCount, memoryBytes);
    log.step((warm ? "starting " : "booting ") + request.source());
    return lifecycle.start(
        new SandboxOrder(
            Ids.newId('b'),
            "template",
            new SandboxOrder.Source(source, source.id(), null, null),
            new Shape(cpuCount, memoryBytes, source.diskBytes()),
            Sandbox.Label.NONE,
            new SandboxOrder.Options(
                // While the template is built, nobody else on this host may reach its agent.
                new SandboxRules(SandboxRules.AtEnd.KILL, true, false, true),
                outboundByDefault,
                null,
                null,
                Map.of()),
            true));
  }

  private SnapshotRecord make(
      LiveSandbox live, int port, DerivedTemplate request, TaggedName version, BuildLog log) {
    InetSocketAddress agent = live.runningMachine().endpoint(port);
    AgentAccess access = AgentSetup.access(live.saved());
    GuestCommands guest = new GuestCommands(agent, access, log::heartbeat);
    StepRunner runner = new StepRunner(guest, log);
    List<BuildStep> wanted = request.steps();
    for (int i = 0; i < wanted.size(); i++) {
      log.stepReached(i + 1);
      log.step(description(wanted.get(i)));
      steps.before("template.step");
      runner.run(wanted.get(i));
    }
    log.stepReached(wanted.size() + 1);
    Map<String, @Nullable Object> result = runner.result(request.start(), request.ready());
    if (!result.isEmpty()) {
      guest.applyTemplate(result);
    }
    log.step("waiting until what it starts is ready");
    readiness.await(agent, access, "the template", "the ready command", log::heartbeat);
    readiness.prepareForCapture(agent, access);
    log.step("capturing the machine");
    return capturer.capture(live, CaptureOrder.template(request.id(), version, null));
  }

  private static String description(BuildStep step) {
    if (step instanceof BuildStep.Run run) {
      return "RUN " + run.command();
    }
    if (step instanceof BuildStep.Copy copy) {
      return "COPY " + copy.source() + " " + copy.destination();
    }
    if (step instanceof BuildStep.Environment set) {
      // Only the names, because values may be secrets.
      return "ENV " + String.join(" ", set.variables().keySet());
    }
    if (step instanceof BuildStep.Workdir change) {
      return "WORKDIR " + change.directory();
    }
    return step instanceof BuildStep.User change ? "USER " + change.name() : "";
  }
}
