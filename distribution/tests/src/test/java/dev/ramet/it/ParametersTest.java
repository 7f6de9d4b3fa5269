// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that no call in the installed jars has so many arguments that a reader confuses them.
 * Related ones are components of a record, and a flat record of the wire or of a manifest has a
 * builder that names each.
 */
final class ParametersTest {
  private static final Path LIBRARY =
      Path.of(System.getProperty("ramet.guest")).resolve("../../lib").normalize();

  private static final int MOST = 8;

  /** An enum's constructor also gets the name and the position of the constant. */
  private static final int HIDDEN_OF_ENUM = 2;

  private static JavaClasses classes() throws IOException {
    List<JarFile> jars = new ArrayList<>();
    try {
      for (String folder : new String[] {"modules", "host"}) {
        try (Stream<Path> files = Files.list(LIBRARY.resolve(folder))) {
          for (Path file : files.toList()) {
            String name = file.getFileName().toString();
            if (name.startsWith("dev.ramet.") || name.startsWith("ramet-")) {
              jars.add(new JarFile(file.toFile()));
            }
          }
        }
      }
      return new ClassFileImporter().importJars(jars);
    } finally {
      for (JarFile jar : jars) {
        jar.close();
      }
    }
  }

  @Test
  void callsHaveFewArguments() throws IOException {
    SortedSet<String> tooMany = new TreeSet<>();
    int seen = 0;
    for (JavaClass one : classes()) {
      if (generated(one)) {
        continue;
      }
      for (JavaCodeUnit unit : one.getCodeUnits()) {
        seen++;
        int most = one.isEnum() && unit instanceof JavaConstructor ? MOST + HIDDEN_OF_ENUM : MOST;
        if (unit.getRawParameterTypes().size() > most
            && !unit.getModifiers().contains(JavaModifier.SYNTHETIC)
            && !namedByBuilder(one, unit)) {
          tooMany.add(unit.getFullName());
        }
      }
    }
    assertTrue(seen > 5000, "only " + seen + " methods and constructors were found");
    assertEquals(new TreeSet<String>(), tooMany);
  }

  /** Micronaut generates classes whose names begin with a dollar sign. */
  private static boolean generated(JavaClass one) {
    return one.getName().substring(one.getPackageName().length() + 1).startsWith("$");
  }

  /** Only the canonical constructor of a record with a builder may have more parameters. */
  private static boolean namedByBuilder(JavaClass one, JavaCodeUnit unit) {
    return one.isRecord()
        && unit instanceof JavaConstructor
        && one.getConstructors().size() == 1
        && one.tryGetMethod("builder").isPresent();
  }
}
