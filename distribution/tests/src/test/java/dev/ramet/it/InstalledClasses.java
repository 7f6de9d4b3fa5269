// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The classes in the installed jars of this project, read once for all tests of the structure. */
final class InstalledClasses {
  static final JavaClasses ALL = read();

  private InstalledClasses() {}

  private static JavaClasses read() {
    Path layout = Path.of(System.getProperty("ramet.guest")).resolve("../..").normalize();
    List<JarFile> jars = new ArrayList<>();
    try {
      for (String folder : new String[] {"modules", "host"}) {
        try (Stream<Path> files = Files.list(layout.resolve("lib").resolve(folder))) {
          for (Path file : files.toList()) {
            String name = file.getFileName().toString();
            if (name.startsWith("dev.ramet.") || name.startsWith("ramet-")) {
              jars.add(new JarFile(file.toFile()));
            }
          }
        }
      }
      JavaClasses all = new ClassFileImporter().importJars(jars);
      for (JarFile jar : jars) {
        jar.close();
      }
      if (all.size() <= 1000) {
        throw new IllegalStateException("only " + all.size() + " classes were found");
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
