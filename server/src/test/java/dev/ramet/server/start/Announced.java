// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.server.settings.TestHost;

/** An announced template build. */
record Announced(String template, String build) {
  /** Announces a build on a host. */
  static Announced on(TestHost host, String name) throws Exception {
    TestHost.Answer answer =
        host.post("/v3/templates", "{\"name\":\"" + name + "\",\"cpuCount\":2}");
    assertEquals(202, answer.status(), answer.response().body());
    String own = name.replaceFirst(":.*", "");
    assertEquals(own, answer.json().path("names").path(0).asText());
    assertTrue(answer.json().path("public").asBoolean());
    return in(answer);
  }

  /** Returns the build in a response. */
  static Announced in(TestHost.Answer answer) {
    return new Announced(
        answer.json().path("templateID").asText(), answer.json().path("buildID").asText());
  }

  String start() {
    return "/v2/templates/" + template + "/builds/" + build;
  }

  String status() {
    return "/templates/" + template + "/builds/" + build + "/status";
  }

  String files(String hash) {
    return "/templates/" + template + "/files/" + hash;
  }

  /** Waits for the end and returns the final status. */
  JsonNode end(TestHost host) throws Exception {
    for (int i = 0; i < 1000; i++) {
      JsonNode status = host.get(status()).json();
      if (!status.path("status").asText().equals("building")) {
        return status;
      }
      Thread.sleep(10);
    }
    throw new AssertionError("the build does not end");
  }
}
