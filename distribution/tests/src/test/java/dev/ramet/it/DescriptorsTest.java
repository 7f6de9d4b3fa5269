// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares what the shipped modules require, export, open and provide with {@code
 * src/test/descriptors}, so that a review shows every change of the interface that others depend
 * on. With {@code RAMET_WRITE_DESCRIPTORS=yes} the test rewrites these files.
 */
final class DescriptorsTest {
  private static final Path GOLDEN = Path.of("src/test/descriptors");

  @Test
  void areAsWrittenDown() throws IOException {
    TreeMap<String, String> shipped = new TreeMap<>();
    ModuleFinder.of(Path.of(System.getProperty("ramet.modules"))).findAll().stream()
        .map(reference -> reference.descriptor())
        .filter(descriptor -> descriptor.name().startsWith("dev.ramet."))
        .forEach(descriptor -> shipped.put(descriptor.name() + ".txt", text(descriptor)));
    if ("yes".equals(System.getenv("RAMET_WRITE_DESCRIPTORS"))) {
      for (var entry : shipped.entrySet()) {
        Files.writeString(GOLDEN.resolve(entry.getKey()), entry.getValue());
      }
    }
    TreeMap<String, String> golden = new TreeMap<>();
    try (Stream<Path> files = Files.list(GOLDEN)) {
      for (Path file : files.toList()) {
        golden.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    assertEquals(golden.keySet(), shipped.keySet(), "the modules that are shipped");
    shipped.forEach(
        (name, text) ->
            assertEquals(
                golden.get(name),
                text,
                () ->
                    name
                        + ": a descriptor changed; if that was meant, write it down with"
                        + " RAMET_WRITE_DESCRIPTORS=yes"));
  }

  private static String text(ModuleDescriptor module) {
    TreeSet<String> lines = new TreeSet<>();
    for (ModuleDescriptor.Requires one : module.requires()) {
      if (!one.modifiers().contains(ModuleDescriptor.Requires.Modifier.MANDATED)) {
        lines.add("requires " + words(one.modifiers()) + one.name());
      }
    }
    module.exports().forEach(one -> lines.add("exports " + one.source() + to(one.targets())));
    module.opens().forEach(one -> lines.add("opens " + one.source() + to(one.targets())));
    module.uses().forEach(one -> lines.add("uses " + one));
    module
        .provides()
        .forEach(
            one -> lines.add("provides " + one.service() + " with " + sorted(one.providers())));
    return (module.isOpen() ? "open " : "")
        + "module "
        + module.name()
        + "\n"
        + lines.stream().map(line -> "  " + line + "\n").collect(Collectors.joining());
  }

  private static String to(Set<String> targets) {
    return targets.isEmpty() ? "" : " to " + sorted(targets);
  }

  private static String sorted(Collection<String> names) {
    return names.stream().sorted().collect(Collectors.joining(" "));
  }

  private static String words(Set<ModuleDescriptor.Requires.Modifier> modifiers) {
    return modifiers.stream()
        .sorted(Comparator.naturalOrder())
        .map(modifier -> modifier.toString().toLowerCase(java.util.Locale.ROOT) + " ")
        .collect(Collectors.joining());
  }
}
