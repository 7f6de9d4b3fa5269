// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static dev.ramet.it.InstalledClasses.ALL;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;

/** Checks which modules and libraries the classes in the installed jars may depend on. */
final class DependencyStructureTest {
  @Test
  void contractsRestOnErrorsAlone() {
    for (JavaClass one : ALL) {
      if (one.getPackageName().startsWith("dev.ramet.spi")) {
        for (Dependency dependency : one.getDirectDependenciesFromSelf()) {
          String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
          assertTrue(
              to.isEmpty()
                  || to.startsWith("java.")
                  || to.startsWith("org.jspecify.")
                  || to.startsWith("dev.ramet.spi")
                  || to.startsWith("dev.ramet.errors"),
              dependency::getDescription);
        }
      }
    }
  }

  @Test
  void nativeCallsAreInOneModule() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.ramet.linux..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.sun.jna..")
        .check(ALL);
  }

  @Test
  void nobodyNamesAPlugin() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.ramet.server..",
            "dev.ramet.config..",
            "dev.ramet.engine..",
            "dev.ramet.egress..",
            "dev.ramet.pluginhost..",
            "dev.ramet.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.ramet.backends..", "dev.ramet.memory..", "dev.ramet.hypervisors..")
        .check(ALL);
  }

  /** The signature of a call shows what it depends on. */
  @Test
  void nothingIsPassedByThread() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.ramet.server..", "dev.ramet.engine..")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ThreadLocal.class)
        .check(ALL);
  }

  @Test
  void theCommandLineStartsWithoutMicronaut() {
    noClasses()
        .that()
        .resideInAPackage("dev.ramet.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.micronaut..")
        .check(ALL);
  }
}
