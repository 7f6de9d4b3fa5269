// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.plugins;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;

/** Makes plugins like those of third parties: a folder each with a modular jar. */
final class PluginLayers {
  private static final String MODULE =
      "module com.example.layer%1$d.plugin {%n"
          + "  requires dev.ramet.spi;%n"
          + "  provides dev.ramet.spi.storage.StorageBackendProvider with%n"
          + "      com.example.layer%1$d.plugin.Layer;%n"
          + "}%n";

  private static final String PROVIDER =
      "package com.example.layer%1$d.plugin;%n"
          + "import dev.ramet.spi.ProbeContext;%n"
          + "import dev.ramet.spi.ProbeResult;%n"
          + "import dev.ramet.spi.storage.StorageBackend;%n"
          + "public final class Layer%n"
          + "    implements dev.ramet.spi.storage.StorageBackendProvider {%n"
          + "  public Layer() {}%n"
          + "  public String id() { return \"layer-%1$d\"; }%n"
          + "  public dev.ramet.spi.storage.StorageFacts atBest() {%n"
          + "    return dev.ramet.spi.storage.StorageFacts.copying(java.util.Set.of());%n"
          + "  }%n"
          + "  public ProbeResult probe(ProbeContext where) {%n"
          + "    return new ProbeResult.Unusable(\"stores nothing\", \"for show\", \"none\");%n"
          + "  }%n"
          + "  public StorageBackend open(ProbeContext where) {%n"
          + "    throw new IllegalStateException(%n"
          + "        \"layer-%1$d is for show, as its probe says: choose another backend\");%n"
          + "  }%n"
          + "}%n";

  private PluginLayers() {}

  /** Makes this many plugins, and returns the directory with their folders. */
  static Path make(Path into, int count) throws IOException {
    // The compiler requires the module of the contracts' annotations, which no host has.
    Path annotations = Files.createDirectories(into.resolveSibling("annotations"));
    Path empty = annotations.resolve("module-info.java");
    Files.writeString(empty, "module org.jspecify {}");
    run("javac", "--release", "17", "-d", annotations.toString(), empty.toString());
    for (int i = 0; i < count; i++) {
      Path folder = Files.createDirectories(into.resolve("layer" + i));
      Path sources = Files.createDirectories(into.resolveSibling("layer-sources" + i));
      Path classes = Files.createDirectories(into.resolveSibling("layer-classes" + i));
      Path module = sources.resolve("module-info.java");
      Path provider = sources.resolve("Layer.java");
      Files.writeString(module, MODULE.formatted(i));
      Files.writeString(provider, PROVIDER.formatted(i));
      run(
          "javac",
          "--release",
          "17",
          "-proc:none",
          "--module-path",
          modules() + ":" + annotations,
          "-d",
          classes.toString(),
          module.toString(),
          provider.toString());
      run(
          "jar",
          "--create",
          "--file",
          folder.resolve("layer.jar").toString(),
          "-C",
          classes.toString(),
          ".");
    }
    return into;
  }

  /**
   * Returns the class path without its first entry, the classes of this program: the installed
   * modules.
   */
  private static String modules() {
    String path = System.getProperty("java.class.path");
    return path.substring(path.indexOf(':') + 1);
  }

  private static void run(String tool, String... arguments) {
    int status =
        ToolProvider.findFirst(tool)
            .orElseThrow(() -> new IllegalStateException(tool + " is missing: use a JDK"))
            .run(System.err, System.err, arguments);
    if (status != 0) {
      throw new IllegalStateException(tool + " failed: " + List.of(arguments));
    }
  }
}
