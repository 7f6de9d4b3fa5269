// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import dev.ramet.errors.RametException;
import dev.ramet.spi.Provider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Compiles plugins and packs them into jars, as their authors would. */
final class PluginMaker {
  private static final ToolProvider JAVAC = ToolProvider.findFirst("javac").orElseThrow();
  private static final ToolProvider JAR = ToolProvider.findFirst("jar").orElseThrow();

  private final Path work;
  private int number;

  /**
   * Creates a maker.
   *
   * @param work an empty directory for sources and classes
   */
  PluginMaker(Path work) {
    this.work = work;
  }

  /** The compiled classes of a plugin, ready to be packed. */
  record Compiled(Path classes) {
    /** Removes a class, as a faulty build would. */
    Compiled without(String file) {
      try {
        Files.delete(classes.resolve(file));
        return this;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * Packs the classes and removes one from the jar, because the jar tool would not accept its
     * absence.
     */
    void intoWithout(String file, Path jar) {
      try (FileSystem packed = FileSystems.newFileSystem(into(jar))) {
        Files.delete(packed.getPath(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Packs the classes into a jar. */
    Path into(Path jar) {
      try {
        Files.createDirectories(jar.getParent());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      run(JAR, List.of("--create", "--file", jar.toString(), "-C", classes.toString(), "."));
      return jar;
    }
  }

  /** Compiles against this host's contracts. */
  Compiled compile(Map<String, String> sources, Path... modules) {
    return compile(null, contracts(), sources, modules);
  }

  /**
   * Compiles sources.
   *
   * @param version the module's version, or null for none
   * @param contracts paths of the contracts
   * @param sources text by file name
   * @param modules other modules it may require
   */
  Compiled compile(
      @Nullable String version,
      List<Path> contracts,
      Map<String, String> sources,
      Path... modules) {
    try {
      Path source = Files.createDirectories(work.resolve("source" + ++number));
      Path classes = Files.createDirectories(work.resolve("classes" + number));
      List<Path> path = new ArrayList<>(contracts);
      path.addAll(List.of(modules));
      List<String> arguments = new ArrayList<>(List.of("--release", "17", "-proc:none", "-nowarn"));
      arguments.addAll(
          List.of(
              "-d",
              classes.toString(),
              "--module-path",
              String.join(":", path.stream().map(Path::toString).toList())));
      if (version != null) {
        arguments.addAll(List.of("--module-version", version));
      }
      for (var entry : sources.entrySet()) {
        Path file = source.resolve(entry.getKey());
        Files.createDirectories(file.getParent());
        Files.writeString(file, entry.getValue());
        arguments.add(file.toString());
      }
      run(JAVAC, arguments);
      return new Compiled(classes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the sources of a storage plugin that stores nothing. */
  static Map<String, String> storage(String module, String id) {
    return storage(module, "", "", "\"" + id + "\"");
  }

  /**
   * Returns the sources of a storage plugin with mistakes.
   *
   * @param requires further directives of the module
   * @param constructor the body of its constructor
   * @param id the expression of its id
   */
  static Map<String, String> storage(
      String module, String requires, String constructor, String id) {
    String name = module + ".Entry";
    String file = name.replace('.', '/') + ".java";
    return Map.of(
        "module-info.java",
        """
        module %s {
          requires dev.ramet.spi;
          %s
          provides dev.ramet.spi.storage.StorageBackendProvider with %s;
        }
        """
            .formatted(module, requires, name),
        file,
        """
        package %s;
        import dev.ramet.spi.ProbeContext;
        import dev.ramet.spi.ProbeResult;
        import dev.ramet.spi.storage.*;
        public class Entry implements StorageBackendProvider {
          public Entry() { %s }
          @Override public String id() { return %s; }
          @Override public StorageFacts atBest() {
            return StorageFacts.copying(java.util.Set.of());
          }
          @Override public ProbeResult probe(ProbeContext where) {
            return new ProbeResult.Unusable("never", "", "");
          }
          @Override public StorageBackend open(ProbeContext where) {
            throw new IllegalStateException("cannot be opened");
          }
        }
        """
            .formatted(module, constructor, id));
  }

  /** Returns the sources of a library. */
  static Map<String, String> library(String module, String version) {
    return Map.of(
        "module-info.java",
        "module %s { exports %s; }".formatted(module, module),
        module.replace('.', '/') + "/Library.java",
        """
        package %s;
        public final class Library {
          private Library() {}
          public static String version() { return "%s"; }
        }
        """
            .formatted(module, version));
  }

  /** Returns the part of the contracts that a plugin needs to compile. */
  static Map<String, String> fakeContracts() {
    return Map.of(
        "module-info.java",
        "module dev.ramet.spi { exports dev.ramet.spi; exports dev.ramet.spi.storage; }",
        "dev/ramet/spi/ProbeContext.java",
        "package dev.ramet.spi; public class ProbeContext {}",
        "dev/ramet/spi/ProbeResult.java",
        """
        package dev.ramet.spi;
        public interface ProbeResult {
          record Unusable(String reason, String detail, String remedy) implements ProbeResult {}
        }
        """,
        "dev/ramet/spi/storage/StorageBackend.java",
        "package dev.ramet.spi.storage; public interface StorageBackend {}",
        "dev/ramet/spi/storage/StorageFacts.java",
        """
        package dev.ramet.spi.storage;
        public class StorageFacts {
          public static StorageFacts copying(java.util.Set<Object> features) { return null; }
        }
        """,
        "dev/ramet/spi/storage/StorageBackendProvider.java",
        """
        package dev.ramet.spi.storage;
        public interface StorageBackendProvider {
          String id();
          StorageFacts atBest();
          dev.ramet.spi.ProbeResult probe(dev.ramet.spi.ProbeContext where);
          StorageBackend open(dev.ramet.spi.ProbeContext where);
        }
        """);
  }

  /** Returns the paths of this host's contracts and of the annotations they use. */
  static List<Path> contracts() {
    return Stream.of(Provider.class, RametException.class, NullMarked.class)
        .map(
            type -> {
              try {
                return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
              } catch (URISyntaxException e) {
                throw new IllegalStateException(e);
              }
            })
        .toList();
  }

  private static void run(ToolProvider tool, List<String> arguments) {
    int status = tool.run(System.out, System.err, arguments.toArray(new String[0]));
    if (status != 0) {
      throw new IllegalStateException(tool.name() + " failed, see its output: " + arguments);
    }
  }
}
