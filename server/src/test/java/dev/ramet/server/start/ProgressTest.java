// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.TestHost;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class ProgressTest {
  private static BufferedReader build(TestHost host, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + host.port() + "/templates"))
            .header("Accept", "application/x-ndjson")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    HttpResponse<java.io.InputStream> response =
        host.client.send(request, BodyHandlers.ofInputStream());
    assertEquals(200, response.statusCode());
    assertEquals(
        "application/x-ndjson", response.headers().firstValue("content-type").orElseThrow());
    return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
  }

  @Test
  void eachStepArrivesWhenItBegins() throws Exception {
    try (TestHost host = new TestHost(Map.of());
        BufferedReader lines = build(host, "{\"recipe\":\"slow\",\"name\":\"s\"}")) {
      assertEquals("{\"step\":\"build slow\"}", lines.readLine());
      host.engine.templates.slow.countDown();
      assertEquals("{\"step\":\"capture\"}", lines.readLine());
      assertTrue(lines.readLine().startsWith("{\"template\":{\"templateID\":\"tpl-s\""));
      assertEquals(-1, lines.read());
    }
  }

  @Test
  void theLastLineOfAFailureIsItsError() throws Exception {
    try (TestHost host = new TestHost(Map.of());
        BufferedReader lines = build(host, "{\"recipe\":\"none\"}")) {
      assertEquals("{\"step\":\"build none\"}", lines.readLine());
      String last = lines.readLine();
      assertTrue(last.startsWith("{\"error\":{\"code\":404,"), last);
      assertEquals(-1, lines.read());
    }
  }
}
