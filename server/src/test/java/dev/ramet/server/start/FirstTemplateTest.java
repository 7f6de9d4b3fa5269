// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.TestHost;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests whether a host that has no template builds the default one. */
@Timeout(120)
class FirstTemplateTest {
  /** Starts a host on an engine with no template but these. */
  private static TestHost start(String build, String... templates) {
    FakeEngine engine = new FakeEngine();
    engine.templates.byName.clear();
    for (String template : templates) {
      engine.templates.add(template, 1, 512L << 20, "key");
    }
    return new TestHost(Map.of("ramet.template-build", build), settings -> engine);
  }

  private static List<String> names(TestHost host) throws Exception {
    return host.get("/templates").json().findValuesAsText("templateID");
  }

  @Test
  void autoBuildsTheDefaultOneAsAnOperation() throws Exception {
    try (TestHost host = start("auto")) {
      String operation;
      do {
        operation = host.get("/operations").json().toString();
      } while (!operation.contains("\"done\""));
      assertTrue(operation.contains("\"template.build\""), operation);
      assertEquals(List.of("tpl-micro"), names(host));
    }
  }

  @Test
  void nothingIsBuiltWhereATemplateIsOrNobodyAnswers() throws Exception {
    try (TestHost host = start("auto", "mine")) {
      assertEquals(List.of("tpl-mine"), names(host));
      assertEquals("[]", host.get("/operations").json().toString());
    }
    for (String build : List.of("ask", "off")) {
      try (TestHost host = start(build)) {
        assertEquals(List.of(), names(host));
        assertEquals("[]", host.get("/operations").json().toString());
      }
    }
  }
}
