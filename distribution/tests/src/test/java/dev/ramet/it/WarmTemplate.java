// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.Progress;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.spi.storage.image.CopyProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An export of the template {@code micro}, which is built once per JVM: a cold boot takes an
 * emulator long, and all but a few tests only need a machine that has booted.
 */
final class WarmTemplate {
  private static @Nullable Path directory;

  private WarmTemplate() {}

  /** Adds the template to a root that has none of this name. */
  static void addTo(Engine engine) throws IOException {
    engine.storage().importFrom(export(), Ground.TEMPLATE, CopyProgress.NONE);
  }

  /** Builds the template of this name, which takes a cold boot. */
  static void build(Engine engine) {
    engine
        .templates()
        .build(new BuildTemplate("micro", Ground.TEMPLATE, null, null, null), Progress.NONE);
  }

  private static synchronized Path export() throws IOException {
    Path made = directory;
    if (made == null) {
      made = make();
      directory = made;
    }
    return made;
  }

  private static Path make() throws IOException {
    Path place = Files.createTempDirectory("ramet-it-warm-");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(place)));
    Path root = Files.createDirectory(place.resolve("root"));
    Path export = place.resolve("export");
    try (Engine engine = EngineFactory.open(TestConfig.of(root, 0, step -> {}))) {
      build(engine);
      engine.storage().exportTo(Ground.TEMPLATE, export, CopyProgress.NONE);
    }
    Trees.delete(root);
    return export;
  }

  private static void delete(Path place) {
    try {
      Trees.delete(place);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
