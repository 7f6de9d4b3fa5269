// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.config.Options;
import japicmp.model.JApiBehavior;
import japicmp.model.JApiClass;
import japicmp.model.JApiCompatibility;
import japicmp.model.JApiCompatibilityChange;
import japicmp.model.JApiParameter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The jars of the modules that others build against, in one version.
 *
 * @param directory holds a jar for each module, and its sources if they were compiled here
 * @param modules the names of the modules
 */
record Contracts(Path directory, List<String> modules) {
  static final Path PROJECT = Path.of("../..");
  static final List<String> MODULES = List.of("errors", "agent", "api", "spi", "tck", "client");

  /** The modules that the installed layout does not have. */
  private static final List<String> NOT_INSTALLED = List.of("tck", "client");

  /** Compiles the contracts from the sources in an archive. */
  static Contracts of(Path archive, Path directory) throws Exception {
    Path sources = Files.createDirectories(directory.resolve("sources"));
    assertEquals(
        0,
        run(new ArrayList<>(), List.of("tar", "-xzf", archive.toString(), "-C", "" + sources)),
        "cannot unpack " + archive);
    return compile(sources, directory, MODULES);
  }

  /** Returns the commit of the newest release tag; null if the checkout has none. */
  static @Nullable String newestRelease() throws Exception {
    List<String> said = new ArrayList<>();
    if (git(said, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*") != 0) {
      return null;
    }
    String tag = said.get(0);
    said.clear();
    assertEquals(0, git(said, "rev-parse", tag + "^{commit}"), said.toString());
    return said.get(0);
  }

  /** Returns the commit that git made an archive of. */
  static String commitOf(Path archive) throws Exception {
    List<String> said = new ArrayList<>();
    String command = "gzip -dc \"$1\" | git get-tar-commit-id";
    assertEquals(0, run(said, List.of("sh", "-c", command, "sh", archive.toString())), "" + said);
    return said.get(0);
  }

  /** Returns the contracts as built, from the installed layout as far as it has them. */
  static Contracts built(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (String module : MODULES) {
      Path from =
          NOT_INSTALLED.contains(module)
              ? PROJECT.resolve(module).resolve("target")
              : Path.of(System.getProperty("ramet.modules"));
      try (Stream<Path> files = Files.list(from)) {
        Path jar =
            files
                .filter(
                    file ->
                        file.getFileName()
                            .toString()
                            .matches("dev\\.ramet\\." + module + "-[0-9.]+(-SNAPSHOT)?\\.jar"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(module + " is not built"));
        Files.copy(jar, directory.resolve(module + ".jar"));
      }
    }
    return new Contracts(directory, MODULES);
  }

  /** Compiles contracts from sources. */
  static Contracts compile(Path sources, Path directory, List<String> modules) throws IOException {
    Files.createDirectories(directory);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String path = System.getProperty("java.class.path");
    for (String module : modules) {
      Path classes = Files.createDirectories(directory.resolve("classes").resolve(module));
      List<Path> files;
      try (Stream<Path> all = Files.walk(sources.resolve(module))) {
        files =
            all.filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.endsWith("module-info.java"))
                .toList();
      }
      StringWriter said = new StringWriter();
      boolean done =
          compiler
              .getTask(
                  said,
                  null,
                  null,
                  List.of(
                      "--release", "17", "-proc:none", "-nowarn", "-cp", path, "-d", "" + classes),
                  null,
                  compiler
                      .getStandardFileManager(null, null, StandardCharsets.UTF_8)
                      .getJavaFileObjectsFromPaths(files))
              .call();
      assertTrue(done, said.toString());
      jar(classes, directory.resolve(module + ".jar"));
      // First on the class path of the modules that follow.
      path = classes + System.getProperty("path.separator") + path;
    }
    return new Contracts(directory, modules);
  }

  Path sources() {
    return directory.resolve("sources");
  }

  /**
   * Returns the changes from these contracts to the others that break linking or compiling of code
   * built against these.
   */
  Set<String> brokenBy(Contracts others) {
    Set<String> broken = new TreeSet<>();
    for (String module : others.modules) {
      JarArchiveComparatorOptions options = JarArchiveComparatorOptions.of(Options.newDefault());
      options.getIgnoreMissingClasses().setIgnoreAllMissingClasses(true);
      List<JApiClass> classes =
          new JarArchiveComparator(options)
              .compare(archive(directory, module), archive(others.directory, module));
      for (JApiClass one : classes) {
        String name = one.getFullyQualifiedName();
        add(broken, name, one);
        one.getFields().forEach(field -> add(broken, name + "#" + field.getName(), field));
        one.getMethods().forEach(method -> add(broken, name + "#" + signature(method), method));
        one.getConstructors().forEach(made -> add(broken, name + "#" + signature(made), made));
        one.getInterfaces()
            .forEach(
                type -> add(broken, name + " implements " + type.getFullyQualifiedName(), type));
        add(broken, name, one.getSuperclass());
      }
    }
    return broken;
  }

  private static void add(Set<String> broken, String name, JApiCompatibility element) {
    for (JApiCompatibilityChange change : element.getCompatibilityChanges()) {
      if (!change.isBinaryCompatible() || !change.isSourceCompatible()) {
        broken.add(name + " " + change.getType());
      }
    }
  }

  private static String signature(JApiBehavior behavior) {
    return behavior.getName()
        + behavior.getParameters().stream()
            .map(JApiParameter::getType)
            .map(type -> type.substring(type.lastIndexOf('.') + 1))
            .collect(Collectors.joining(",", "(", ")"));
  }

  private static JApiCmpArchive archive(Path directory, String module) {
    return new JApiCmpArchive(directory.resolve(module + ".jar").toFile(), module);
  }

  private static void jar(Path classes, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        entries.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
        Files.copy(file, entries);
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  private static int git(List<String> output, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "safe.directory=*", "-C", PROJECT.toString()));
    command.addAll(List.of(arguments));
    return run(output, command);
  }

  private static int run(List<String> output, List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.inputReader(StandardCharsets.UTF_8).lines().forEach(output::add);
    return process.waitFor();
  }
}
