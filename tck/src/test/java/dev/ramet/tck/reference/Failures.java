// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
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

  /** Requires that a check of a group fails with a message that names the fault. */
  public static void expect(Class<?> author, Class<?> group, String check, String message) {
    List<String> failures =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectNestedClass(List.of(author), group))
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
}
