// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.Intents;
import dev.ramet.engine.Progress;
import dev.ramet.engine.SandboxRules;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.guest.AgentAccess;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.Readiness;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes templates from images. A cold template consists of the images. A warm one is the capture of
 * a hidden sandbox that booted from them, taken when its agent first answers.
 */
public final class ImageTemplateBuilder {
  private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(60);

  private final Context context;
  private final Capturer capturer;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;

  public ImageTemplateBuilder(
      Context context, Capturer capturer, SandboxLifecycle lifecycle, SnapshotReclaimer reclaimer) {
    this.context = context;
    this.capturer = capturer;
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
  }

  /**
   * The images of a template and its properties.
   *
   * @param version the template's name and tags
   * @param kernel the kernel
   * @param initrd the initial ram disk, or null
   * @param rootfs a raw disk image
   * @param kernelArguments the kernel command line
   * @param cpuCount virtual CPUs
   * @param memoryBytes guest memory
   * @param agentPort the agent's port, or null if there is none
   * @param contentKey key of the content, or null
   * @param starts whether the agent starts a command that must be ready before the capture
   */
  record Images(
      TaggedName version,
      Path kernel,
      @Nullable Path initrd,
      Path rootfs,
      String kernelArguments,
      int cpuCount,
      long memoryBytes,
      @Nullable Integer agentPort,
      @Nullable String contentKey,
      boolean starts) {}

  /** Publishes the images as they are. */
  SnapshotRecord makeCold(Images images, Progress progress) {
    progress.step("importing the disk image");
    return publish(images, SnapshotRecord.Kind.TEMPLATE, images.version());
  }

  /** Boots the images and publishes a capture of the booted guest. */
  SnapshotRecord makeWarm(Images images, Progress progress) {
    progress.step("importing the disk image");
    SnapshotRecord cold = publish(images, SnapshotRecord.Kind.CLONE_BASE, null);
    try (SnapshotReclaimer.Pin pin = reclaimer.pin(cold)) {
      progress.step("booting it until the agent answers");
      LiveSandbox live =
          lifecycle.start(
              new SandboxLifecycle.Order(
                  Ids.next('b'),
                  "template",
                  pin.record(),
                  cold.id(),
                  null,
                  images.cpuCount(),
                  images.memoryBytes(),
                  pin.record().diskBytes(),
                  null,
                  Map.of(),
                  Map.of(),
                  null,
                  context.config().outbound().byDefault(),
                  null,
                  SandboxRules.PLAIN,
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

  private SnapshotRecord capture(LiveSandbox live, Images images, Progress progress) {
    try (LiveSandbox.Hold hold = live.hold("template")) {
      RunningVm vm = live.runningMachine();
      Integer port = images.agentPort();
      if (port != null) {
        prepare(vm.forward(port), AgentSetup.access(live.saved()), images.starts(), progress);
      }
      progress.step("capturing it");
      return capturer.capture(
          live,
          new Capturer.Order(
              Ids.next('t'),
              SnapshotRecord.Kind.TEMPLATE,
              images.version(),
              null,
              null,
              images.contentKey(),
              null,
              false,
              Durability.DURABLE,
              null));
    }
  }

  private void prepare(
      InetSocketAddress agent, AgentAccess access, boolean starts, Progress progress) {
    try {
      if (starts) {
        progress.step("waiting until what it starts is ready");
        // A caller can cancel at each step.
        Readiness.await(
            context,
            agent,
            access,
            "the image",
            "ready",
            () -> progress.step("it is not ready yet"));
      }
      context.agent().settle(agent, access, SETTLE_TIMEOUT);
    } catch (RametException e) {
      throw Errors.orFull("cannot make a template", context.layout().root(), e);
    }
  }

  private SnapshotRecord publish(
      Images images, SnapshotRecord.Kind kind, @Nullable TaggedName version) {
    String id = Ids.next('t');
    Path initrd = images.initrd();
    if (kind == SnapshotRecord.Kind.TEMPLATE) {
      Intents.tell(List.of(id));
    }
    try (Undo undo = new Undo()) {
      context.before("template.directory");
      undo.add("directory of " + id, () -> context.snapshots().abandon(id));
      Path partial = context.snapshots().begin(id);
      context.before("template.import");
      var disk = Layout.snapshotDisk(id);
      undo.add("disk of " + id, () -> context.storage().delete(disk));
      Node node = context.storage().importFrom(disk, images.rootfs());
      context.before("template.seal");
      context.storage().seal(disk, Durability.DURABLE);
      context.before("template.kernel");
      Files.copy(images.kernel(), Layout.kernel(partial));
      if (initrd != null) {
        Files.copy(initrd, Layout.initrd(partial));
      }
      context.before("template.publish");
      Instant now = Instant.now();
      SnapshotRecord record =
          new SnapshotRecord(
              id,
              kind,
              version == null ? null : version.alias(),
              version == null ? Map.of() : version.assigned(now),
              null,
              now,
              null,
              null,
              null,
              images.cpuCount(),
              images.memoryBytes(),
              node.sizeBytes(),
              images.kernelArguments(),
              images.agentPort(),
              false,
              null,
              null,
              images.contentKey(),
              null,
              false,
              kind == SnapshotRecord.Kind.CLONE_BASE,
              null);
      SnapshotRecord published = context.snapshots().publish(record, true);
      undo.commit();
      return published;
    } catch (IOException e) {
      Path root = context.layout().root();
      // A failed copy has removed its output: a full disk shows by this much room being missing.
      throw Errors.io("cannot make a template", root, size(images.kernel()) + size(initrd), e);
    }
  }

  private static long size(@Nullable Path file) {
    return file == null ? 0 : file.toFile().length();
  }
}
