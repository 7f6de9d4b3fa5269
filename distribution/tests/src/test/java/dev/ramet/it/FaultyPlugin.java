// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.EngineConfig;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * A plugin like those of third parties. It wraps the host's own plugins and breaks one call on
 * request. Its sources are in {@code src/test/plugins/faulty}.
 */
final class FaultyPlugin {
  static final String STORAGE = "faulty-storage";
  static final String HYPERVISOR = "faulty-hypervisor";
  static final String MEMORY = "faulty-memory";

  private static final String FAULT = "ramet.test.fault";
  private static final String CALLS = "ramet.test.calls";
  private static final String BETTER = "ramet.test.better";

  private FaultyPlugin() {}

  /** Compiles the plugin and packs it into a folder of {@code plugins}. */
  static void installIn(Path plugins, Path work) throws IOException, URISyntaxException {
    Path modules = Path.of(System.getProperty("ramet.modules"));
    Path annotations =
        Path.of(NullMarked.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path classes = Files.createDirectories(work.resolve("classes"));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--release",
                "17",
                "-proc:none",
                "--module-path",
                modules + ":" + annotations,
                "-d",
                classes.toString()));
    try (Stream<Path> sources = Files.walk(Path.of("src/test/plugins/faulty"))) {
      sources
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(file -> arguments.add(file.toString()));
    }
    run("javac", arguments);
    Path jar = Files.createDirectories(plugins.resolve("faulty")).resolve("faulty.jar");
    run("jar", List.of("--create", "--file", jar.toString(), "-C", classes.toString(), "."));
  }

  private static void run(String tool, List<String> arguments) {
    int status =
        ToolProvider.findFirst(tool)
            .orElseThrow()
            .run(System.out, System.err, arguments.toArray(new String[0]));
    if (status != 0) {
      throw new IllegalStateException(tool + " failed, see its output");
    }
  }

  /** Returns a configuration in which this plugin does all the work. */
  static EngineConfig chosen(EngineConfig base, Path plugins) {
    return loaded(base, plugins, List.of())
        .with("ramet.storage-backend", "faulty-storage")
        .with("ramet.hypervisor", "faulty-hypervisor")
        .with("ramet.memory-mode", "faulty-memory");
  }

  /**
   * Returns a configuration that loads this plugin and chooses by preference and facts alone.
   *
   * @param preferred the operator's preference
   */
  static EngineConfig loaded(EngineConfig base, Path plugins, List<String> preferred) {
    EngineConfig loading =
        base.with("ramet.plugins-dir", plugins.toString()).with("ramet.plugins-required", "faulty");
    return preferred.isEmpty()
        ? loading
        : loading.with("ramet.plugins-preferred", String.join(",", preferred));
  }

  /** Returns the calls that an operation makes, and whether each returns an object. */
  static Map<String, Boolean> callsOf(Runnable operation) {
    Map<String, Boolean> calls = new LinkedHashMap<>();
    BiConsumer<String, Boolean> observer =
        (name, object) -> {
          synchronized (calls) {
            calls.put(name, object);
          }
        };
    System.getProperties().put(CALLS, observer);
    try {
      operation.run();
    } finally {
      System.getProperties().remove(CALLS);
    }
    synchronized (calls) {
      return new LinkedHashMap<>(calls);
    }
  }

  /** Lets the plugins claim better facts than the host's own, or no longer. */
  static void claimBetter(boolean better) {
    System.setProperty(BETTER, Boolean.toString(better));
  }

  /**
   * Breaks the next call of that name, once.
   *
   * @param how {@code throw}, {@code error} or {@code null}; {@code after} to throw once the call
   *     is done; {@code refuse} to throw an exception that the contract allows
   */
  static void breakNext(String call, String how) {
    System.setProperty(FAULT, call + ":" + how);
  }

  /** Removes the requested fault; returns whether it had happened. */
  static boolean mend() {
    return System.clearProperty(FAULT) == null;
  }
}
