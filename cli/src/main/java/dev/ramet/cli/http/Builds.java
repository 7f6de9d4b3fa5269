// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import dev.ramet.api.ApiError;
import dev.ramet.api.BuildEvent;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.api.TemplateInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;

/** Requests that answer line by line while they work. */
public final class Builds {
  private Builds() {}

  /**
   * Builds or imports a template.
   *
   * @param step told of each step as it begins
   * @return the template
   */
  public static TemplateInfo run(Client client, String path, Object body, Consumer<String> step) {
    HttpURLConnection connection =
        client.open(
            "POST",
            path,
            Map.of("Accept", "application/x-ndjson", "Content-Type", "application/json"));
    try {
      Client.write(connection, Json.bytes(body));
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(Client.answer(connection), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.isBlank()) {
            continue;
          }
          BuildEvent event = Json.read(line.getBytes(StandardCharsets.UTF_8), BuildEvent.class);
          ApiError error = event.error();
          if (error != null) {
            throw Failures.of(error.code(), Json.mapper().valueToTree(error));
          }
          if (event.template() != null) {
            return event.template();
          }
          if (event.step() != null) {
            step.accept(event.step());
          }
        }
      }
    } catch (IOException e) {
      throw client.broken(e);
    }
    throw new RametException(
        ErrorCode.UNAVAILABLE, "the host stopped answering before the template was done");
  }
}
