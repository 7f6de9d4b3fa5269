// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.config.ConfigurationSources;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Runs the server through a typical start and ends: the training run for the class data archive
 * that speeds up starts. It creates a data root but no pool and no machine.
 */
public final class Training {
  private static final int TIMEOUT_MILLIS = 20_000;

  private Training() {}

  /** Runs the training; the argument is an empty scratch directory. */
  public static void main(String[] args) throws IOException {
    Path scratch = Path.of(args[0]);
    Path file = scratch.resolve("ramet.yaml");
    Files.writeString(
        file,
        "ramet:\n  data-root: "
            + scratch.resolve("data")
            + "\n  port: -1\n  storage-provision: OFF\n");
    ConfigurationSources sources = ConfigurationSources.create(file, System.getenv(), Map.of());
    HostConfiguration host = HostConfiguration.load(sources);
    try (ApplicationContext context = HostContext.builder(host).build().start()) {
      EmbeddedServer server = context.getBean(EmbeddedServer.class).start();
      URI base = server.getURI();
      for (String path : new String[] {"/health", "/doctor", "/v2/sandboxes", "/templates"}) {
        request(base.resolve(path), "");
      }
      request(base.resolve("/v2/sandboxes"), "{\"templateID\":\"there-is-none\"}");
    }
  }

  private static void request(URI uri, String body) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setReadTimeout(TIMEOUT_MILLIS);
    if (!body.isEmpty()) {
      connection.setRequestProperty("Content-Type", "application/json");
      connection.setDoOutput(true);
      connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
    }
    // Only the executed code matters, not the response.
    if (connection.getResponseCode() < 400) {
      connection.getInputStream().readAllBytes();
    }
    connection.disconnect();
  }
}
