// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static dev.ramet.it.InstalledClasses.ALL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks which packages may depend on which, in the installed jars. The packages of a module have
 * an order, and each depends on lower ones alone, so that a change can be followed in one
 * direction.
 */
final class StructureTest {
  /**
   * From low to high, one level per entry; packages of the same level do not depend on each other.
   */
  private static final List<List<String>> ORDERS =
      List.of(
          List.of(
              "dev.ramet.linux.call",
              "dev.ramet.linux",
              "dev.ramet.linux.file",
              "dev.ramet.linux.tree dev.ramet.linux.block dev.ramet.linux.process"
                  + " dev.ramet.linux.bpf",
              "dev.ramet.linux.injection",
              "dev.ramet.linux.memory"),
          List.of(
              "dev.ramet.agent.wire",
              "dev.ramet.agent",
              "dev.ramet.agent.host",
              "dev.ramet.agent.workspace"),
          List.of(
              "dev.ramet.api.operation",
              "dev.ramet.api.volume dev.ramet.api.secret dev.ramet.api.host dev.ramet.api.storage",
              "dev.ramet.api.snapshot",
              "dev.ramet.api.sandbox dev.ramet.api.template"),
          List.of(
              "dev.ramet.spi.settings",
              "dev.ramet.spi",
              "dev.ramet.spi.memory dev.ramet.spi.storage.image",
              "dev.ramet.spi.storage",
              "dev.ramet.spi.storage.root dev.ramet.spi.hypervisor"),
          List.of(
              "dev.ramet.pluginhost.find", "dev.ramet.pluginhost.guard", "dev.ramet.pluginhost"),
          List.of(
              "dev.ramet.egress.rule dev.ramet.egress.stream",
              "dev.ramet.egress.message",
              "dev.ramet.egress.proxy",
              "dev.ramet.egress.injection dev.ramet.egress.filter"),
          List.of(
              "dev.ramet.engine",
              "dev.ramet.engine.volumes",
              "dev.ramet.engine.snapshots",
              "dev.ramet.engine.sandboxes dev.ramet.engine.templates",
              "dev.ramet.engine.metrics",
              "dev.ramet.engine.support dev.ramet.engine.nbd",
              "dev.ramet.engine.space",
              "dev.ramet.engine.pages dev.ramet.engine.workingset",
              "dev.ramet.engine.tracking",
              "dev.ramet.engine.state",
              "dev.ramet.engine.guard",
              "dev.ramet.engine.root",
              "dev.ramet.engine.selection",
              "dev.ramet.engine.volume",
              "dev.ramet.engine.machine",
              "dev.ramet.engine.capture",
              "dev.ramet.engine.sandbox",
              "dev.ramet.engine.snapshot",
              "dev.ramet.engine.template",
              "dev.ramet.engine.exchange",
              "dev.ramet.engine.check",
              "dev.ramet.engine.start"),
          List.of(
              "dev.ramet.server.settings",
              "dev.ramet.server.tls",
              "dev.ramet.server.http",
              "dev.ramet.server.access",
              "dev.ramet.server.host",
              "dev.ramet.server.operation dev.ramet.server.dataplane.address",
              "dev.ramet.server.dataplane",
              "dev.ramet.server.view",
              "dev.ramet.server.volume dev.ramet.server.secret dev.ramet.server.doctor"
                  + " dev.ramet.server.sandbox dev.ramet.server.storage",
              "dev.ramet.server.snapshot dev.ramet.server.template",
              "dev.ramet.server.start"),
          List.of(
              "dev.ramet.cli.term",
              "dev.ramet.cli.http dev.ramet.cli.local",
              "dev.ramet.cli.target",
              "dev.ramet.cli.output",
              "dev.ramet.cli.command",
              "dev.ramet.cli.config",
              "dev.ramet.cli.tty",
              "dev.ramet.cli.storage dev.ramet.cli.request dev.ramet.cli.manual"
                  + " dev.ramet.cli.shell dev.ramet.cli.copy dev.ramet.cli.forward dev.ramet.cli.observe",
              "dev.ramet.cli.life",
              "dev.ramet.cli.context dev.ramet.cli.key dev.ramet.cli.operation"
                  + " dev.ramet.cli.prune dev.ramet.cli.sandbox"
                  + " dev.ramet.cli.secret dev.ramet.cli.snapshot dev.ramet.cli.template"
                  + " dev.ramet.cli.tour dev.ramet.cli.volume dev.ramet.cli.completion",
              "dev.ramet.cli"),
          List.of(
              "dev.ramet.backends.disk",
              "dev.ramet.backends.copy",
              "dev.ramet.backends.node",
              "dev.ramet.backends.root dev.ramet.backends.share",
              "dev.ramet.backends",
              "dev.ramet.backends.bytecopy"),
          List.of(
              "dev.ramet.backends.dmsnapshot.record",
              "dev.ramet.backends.dmsnapshot.layer",
              "dev.ramet.backends.dmsnapshot"),
          List.of("dev.ramet.memory.page", "dev.ramet.memory"),
          List.of(
              "dev.ramet.hypervisors.qemu.monitor",
              "dev.ramet.hypervisors.qemu.program",
              "dev.ramet.hypervisors.qemu.process",
              "dev.ramet.hypervisors.qemu.vm",
              "dev.ramet.hypervisors.qemu.probe",
              "dev.ramet.hypervisors.qemu"));

  /** Modules all of whose packages are in an order. */
  private static final List<String> ORDERED =
      List.of(
          "dev.ramet.linux",
          "dev.ramet.agent",
          "dev.ramet.api",
          "dev.ramet.spi",
          "dev.ramet.pluginhost",
          "dev.ramet.egress",
          "dev.ramet.server",
          "dev.ramet.cli",
          "dev.ramet.memory",
          "dev.ramet.hypervisors",
          "dev.ramet.backends.dmsnapshot");

  private static final int MOST_CLASSES = 20;

  static List<List<String>> orders() {
    return ORDERS;
  }

  @ParameterizedTest
  @MethodSource("orders")
  void packagesKnowLowerOnesAlone(List<String> order) {
    Map<String, Integer> levels = new HashMap<>();
    for (int level = 0; level < order.size(); level++) {
      for (String name : order.get(level).split(" ", -1)) {
        levels.put(name, level);
        assertTrue(ALL.containPackage(name), () -> "there is no package " + name);
      }
    }
    SortedSet<String> upward = new TreeSet<>();
    for (JavaClass one : ALL) {
      Integer from = levels.get(one.getPackageName());
      if (from == null) {
        continue;
      }
      for (Dependency dependency : one.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass();
        Integer to = levels.get(target.getPackageName());
        if (to != null && !target.getPackageName().equals(one.getPackageName()) && to >= from) {
          upward.add(one.getName() + " -> " + target.getName());
        }
      }
    }
    assertEquals("", String.join("\n", upward));
  }

  /** Every package of the modules that have an order is in it. */
  @Test
  void noPackageIsLeftOut() {
    SortedSet<String> unknown = new TreeSet<>();
    String known = " " + String.join(" ", ORDERS.stream().flatMap(List::stream).toList()) + " ";
    for (JavaClass one : ALL) {
      String name = one.getPackageName();
      if (ORDERED.stream().anyMatch(module -> (name + ".").startsWith(module + "."))
          && !known.contains(" " + name + " ")) {
        unknown.add(name);
      }
    }
    assertEquals(new TreeSet<String>(), unknown);
  }

  @Test
  void noCircles() {
    slices().matching("dev.ramet.(**)").should().beFreeOfCycles().check(ALL);
  }

  /** A package is divided before it has more classes than one takes in at a glance. */
  @Test
  void packagesAreSmall() {
    Map<String, Integer> sizes = new TreeMap<>();
    for (JavaClass one : ALL) {
      String name = one.getName().substring(one.getPackageName().length() + 1);
      // Micronaut generates some whose names begin with a dollar sign.
      if (one.isTopLevelClass() && !name.equals("package-info") && !name.startsWith("$")) {
        sizes.merge(one.getPackageName(), 1, Integer::sum);
      }
    }
    sizes.values().removeIf(size -> size <= MOST_CLASSES);
    assertEquals(Map.of(), sizes);
  }
}
