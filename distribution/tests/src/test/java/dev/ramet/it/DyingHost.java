// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OfflineStorage;
import dev.ramet.engine.Progress;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.engine.templates.Template;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A host of the engine that dies at a given step of an operation as if killed with SIGKILL. */
final class DyingHost {
  static final int STATUS = 137;

  private DyingHost() {}

  /**
   * Arguments: data root, operation, sandbox, step, number of occurrences of that step to let pass.
   */
  public static void main(String[] arguments) {
    String sandbox = arguments[2];
    String fatal = arguments[3];
    int[] pass = {Integer.parseInt(arguments[4])};
    EngineConfig config =
        TestConfig.of(
            Path.of(arguments[0]),
            0,
            step -> {
              if (step.equals(fatal) && pass[0]-- == 0) {
                Runtime.getRuntime().halt(STATUS);
              }
            });
    if (arguments[1].equals("replace")) {
      config = config.with("ramet.memory-volumes", "IN_PLACE");
    }
    if (arguments[1].equals("repair")) {
      try (OfflineStorage resting = EngineFactory.openOffline(config)) {
        resting.check(true);
      }
      Runtime.getRuntime().halt(0);
    }
    Engine engine = EngineFactory.open(config);
    switch (arguments[1]) {
      case "snapshot" -> engine.snapshots().create(sandbox, "crashed");
      case "unawaited" -> {
        engine.snapshots().create(unawaited(sandbox));
        engine.snapshots().await("crashed", Duration.ofMinutes(1));
      }
      case "acknowledged" -> {
        engine.snapshots().create(unawaited(sandbox));
        while (engine.snapshots().get("crashed").status() == Snapshot.Status.WRITING) {
          Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(STATUS);
      }
      case "replace" -> {
        engine.snapshots().create(sandbox, "first");
        engine.snapshots().create(sandbox, "victim");
        engine.snapshots().create(NewSnapshot.named(sandbox, "crashed").replacing("victim"));
      }
      case "rollback" -> engine.sandboxes().rollback(sandbox, "start");
      case "clone" -> engine.sandboxes().clone(sandbox, new CloneRequest(2, 1, null));
      case "pause" -> engine.sandboxes().pause(sandbox, true);
      case "restart" -> engine.sandboxes().restart(sandbox);
      case "label" ->
          engine
              .sandboxes()
              .setLabel(
                  sandbox, new Sandboxes.LabelChange("crashed", Map.of("owner", "it"), Set.of()));
      case "resume" -> engine.sandboxes().resume(sandbox, null, true);
      // For these the third argument is the exported directory.
      case "export" -> engine.storage().exportTo("start", Path.of(sandbox), CopyProgress.NONE);
      case "import" -> engine.storage().importFrom(Path.of(sandbox), "crashed", CopyProgress.NONE);
      case "derive" -> DerivedTemplates.derive(engine, "crashed", "true");
      // For this the third argument is a file that a guest appends to.
      case "volumes" -> {
        long before = Path.of(sandbox).toFile().length();
        while (Path.of(sandbox).toFile().length() < before + 100) {
          Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(STATUS);
      }
      case "kill" -> engine.sandboxes().kill(sandbox);
      // For this the third argument is a snapshot.
      case "delete" -> engine.snapshots().delete(sandbox, false);
      case "build" -> build(engine);
      // For these the third argument is a template and a tag.
      case "tag" -> engine.templates().tag(first(sandbox), List.of(second(sandbox)));
      case "untag" -> {
        engine.templates().tag(first(sandbox), List.of(second(sandbox)));
        engine.templates().untag(first(sandbox), List.of(second(sandbox)));
      }
      default -> throw new IllegalArgumentException(arguments[1]);
    }
    // The step was not reached.
    Runtime.getRuntime().halt(0);
  }

  /** Builds a second template from the usual recipe. */
  static Template build(Engine engine) {
    return engine
        .templates()
        .build(new BuildTemplate("micro", "crashed", null, null, null), Progress.NONE);
  }

  private static String first(String pair) {
    return pair.substring(0, pair.indexOf(' '));
  }

  private static String second(String pair) {
    return pair.substring(pair.indexOf(' ') + 1);
  }

  private static NewSnapshot unawaited(String sandbox) {
    return NewSnapshot.named(sandbox, "crashed").withoutWaiting();
  }
}
