// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import dev.ramet.agent.AgentErrors;
import dev.ramet.api.operation.ApiError;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads responses line by line, while the host works. */
public final class Streams {
  private Streams() {}

  /**
   * Sends a GET and reads lines.
   *
   * @param line receives each line, a JSON object
   */
  public static void lines(Client client, String path, Consumer<String> line) {
    HttpURLConnection connection =
        client.open("GET", path, Map.of("Accept", "application/x-ndjson"));
    try {
      read(client, connection, line);
    } catch (IOException e) {
      throw client.connectionFailed(e);
    }
  }

  /**
   * Sends a GET and reads server-sent events.
   *
   * @param line receives each of their lines that is not empty
   */
  public static void events(Client client, String path, Consumer<String> line) {
    HttpURLConnection connection = client.open("GET", path, Map.of("Accept", "text/event-stream"));
    try {
      read(client, connection, line);
    } catch (IOException e) {
      throw client.connectionFailed(e);
    }
  }

  /**
   * Sends a POST with a JSON body and reads lines.
   *
   * @param line receives each line of the response, a JSON object
   */
  public static void post(Client client, String path, Object body, Consumer<String> line) {
    HttpURLConnection connection =
        client.open(
            "POST",
            path,
            Map.of("Accept", "application/x-ndjson", "Content-Type", "application/json"));
    try {
      Client.write(connection, Json.bytes(body));
      read(client, connection, line);
    } catch (IOException e) {
      throw client.connectionFailed(e);
    }
  }

  private static void read(Client client, HttpURLConnection connection, Consumer<String> line)
      throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(client.readResponse(connection), StandardCharsets.UTF_8))) {
      for (String next = lines.readLine(); next != null; next = lines.readLine()) {
        if (!next.isBlank()) {
          line.accept(next);
        }
      }
    }
  }

  /** Throws the error in a line, if there is one. */
  public static void check(@Nullable ApiError error) {
    if (error != null) {
      throw AgentErrors.fromResponse(error.code(), Json.bytes(error));
    }
  }
}
