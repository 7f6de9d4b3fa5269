// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.agent.host.AgentAccess;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.Progress;
import dev.ramet.engine.Shape;
import dev.ramet.engine.capture.CaptureOrder;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.Readiness;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.sandbox.SandboxOrder;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;

/**
 * Makes templates from images. A cold template consists of the images. A warm one is the capture of
 * a hidden sandbox that booted from them, taken when its agent first answers.
 */
public final class ImageTemplateBuilder {
  private final ImagePublisher publisher;
  private final SandboxLifecycle lifecycle;
  private final Readiness readiness;
  private final Capturer capturer;
  private final SnapshotReclaimer reclaimer;
  private final boolean outboundByDefault;
  private final Path root;

  /**
   * Creates the builder of a root.
   *
   * @param outboundByDefault whether guests may open connections, also while they are captured
   * @param root where templates are kept, by which a full disk is recognised
   */
  public ImageTemplateBuilder(
      ImagePublisher publisher,
      SandboxLifecycle lifecycle,
      Readiness readiness,
      Capturer capturer,
      SnapshotReclaimer reclaimer,
      boolean outboundByDefault,
      Path root) {
    this.publisher = publisher;
    this.lifecycle = lifecycle;
    this.readiness = readiness;
    this.capturer = capturer;
    this.reclaimer = reclaimer;
    this.outboundByDefault = outboundByDefault;
    this.root = root;
  }

  /** Publishes the images as they are. */
  SnapshotRecord makeCold(TemplateImages images, Progress progress, IdListener ids) {
    progress.step("importing the disk image");
    return publisher.publish(images, SnapshotRecord.Kind.TEMPLATE, images.version(), ids);
  }

  /** Boots the images and publishes a capture of the booted guest. */
  SnapshotRecord makeWarm(TemplateImages images, Progress progress) {
    progress.step("importing the disk image");
    SnapshotRecord cold =
        publisher.publish(images, SnapshotRecord.Kind.CLONE_BASE, null, IdListener.NONE);
    try (SnapshotReclaimer.Pin pin = reclaimer.pin(cold)) {
      progress.step("booting it until the agent answers");
      LiveSandbox live =
          lifecycle.start(
              new SandboxOrder(
                  Ids.newId('b'),
                  "template",
                  new SandboxOrder.Source(pin.record(), cold.id(), null, null),
                  new Shape(images.cpuCount(), images.memoryBytes(), pin.record().diskBytes()),
                  Sandbox.Label.NONE,
                  new SandboxOrder.Options(
                      SandboxRules.PLAIN, outboundByDefault, null, null, Map.of()),
                  true));
      try {
        return capture(live, images, progress);
      } finally {
        lifecycle.kill(live);
      }
    } finally {
      reclaimer.delete(cold);
    }
  }

  private SnapshotRecord capture(LiveSandbox live, TemplateImages images, Progress progress) {
    try (LiveSandbox.Hold hold = live.acquire("template")) {
      RunningVm vm = live.runningMachine();
      Integer port = images.agentPort();
      if (port != null) {
        prepare(vm.endpoint(port), AgentSetup.access(live.saved()), images.starts(), progress);
      }
      progress.step("capturing it");
      return capturer.capture(
          live, CaptureOrder.template(Ids.newId('t'), images.version(), images.contentKey()));
    }
  }

  private void prepare(
      InetSocketAddress agent, AgentAccess access, boolean starts, Progress progress) {
    try {
      if (starts) {
        progress.step("waiting until what it starts is ready");
        // A caller can cancel at each step.
        readiness.await(
            agent, access, "the image", "ready", () -> progress.step("it is not ready yet"));
      }
      readiness.prepareForCapture(agent, access);
    } catch (RametException e) {
      throw Errors.diskFullOr("cannot make a template", root, e);
    }
  }
}
