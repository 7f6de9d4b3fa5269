// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import java.util.List;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.NestedMethodSelector;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs the kit on a faulty plugin. */
public final class Failures {
  private Failures() {}

  /** Demands that no check of a group fails. */
  public static void none(Class<?> author, Class<?> group) {
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectNestedClass(List.of(author), group))
        .execute()
        .testEvents()
        .assertStatistics(counts -> counts.failed(0).aborted(0));
  }

  /**
   * Requires that a check of a group fails with a message that names the fault. Only checks of that
   * name run.
   *
   * @param check the beginning of its name
   */
  public static void expect(Class<?> author, Class<?> group, String check, String message) {
    List<String> failures =
        EngineTestKit.engine("junit-jupiter")
            .selectors(checks(author, group, check))
            .execute()
            .testEvents()
            .failed()
            .stream()
            .map(
                event ->
                    event.getTestDescriptor().getDisplayName()
                        + ": "
                        + event
                            .getPayload(TestExecutionResult.class)
                            .flatMap(TestExecutionResult::getThrowable)
                            .map(Throwable::getMessage)
                            .orElse(""))
            .toList();
    assertTrue(
        failures.stream().anyMatch(line -> line.startsWith(check) && line.contains(message)),
        () -> "expected " + check + ": " + message + "\n" + String.join("\n", failures));
  }

  private static List<NestedMethodSelector> checks(Class<?> author, Class<?> group, String check) {
    String name = check.replace("()", "");
    List<NestedMethodSelector> checks =
        ReflectionSupport.streamMethods(
                group,
                method ->
                    method.getName().startsWith(name)
                        && AnnotationSupport.isAnnotated(method, Testable.class),
                HierarchyTraversalMode.TOP_DOWN)
            .map(method -> selectNestedMethod(List.of(author), group, method))
            .toList();
    assertFalse(checks.isEmpty(), () -> group + " has no check " + check);
    return checks;
  }
}
