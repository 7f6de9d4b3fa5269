// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.server.host.EngineLauncher;
import dev.ramet.server.start.FakeEngine;
import dev.ramet.server.start.HostContext;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real server on a free port, with a fake engine in memory. */
public final class TestHost implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  public final FakeEngine engine = new FakeEngine();
  private final Path ownRoot;
  public final ApplicationContext context;
  final EmbeddedServer server;
  public final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  public TestHost(Map<String, Object> properties) {
    this(properties, null);
  }

  public TestHost(Map<String, Object> properties, @Nullable EngineLauncher launcher) {
    // The default data root: no test host may write to that of an installed host.
    ownRoot = temporaryDirectory();
    Map<String, Object> all = new HashMap<>();
    all.put("ramet.data-root", ownRoot.toString());
    // Most tests do not concern keys and directories.
    all.put("ramet.auth", "OFF");
    all.put("ramet.exchange-directories", "/");
    all.putAll(properties);
    all.put("ramet.port", "-1");
    context = HostContext.builder(all).build();
    EngineLauncher used = launcher == null ? settings -> engine : launcher;
    context.registerSingleton(EngineLauncher.class, used);
    try {
      context.start();
      server = context.getBean(EmbeddedServer.class).start();
    } catch (RuntimeException | Error e) {
      deleteOwnRoot();
      throw e;
    }
  }

  private static Path temporaryDirectory() {
    try {
      return Files.createTempDirectory("ramet-host-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getPort();
  }

  /** A response: status, headers, and its body as JSON (a missing node if it is not JSON). */
  public record Answer(int status, HttpResponse<String> response, JsonNode json) {
    public @Nullable String header(String name) {
      return response.headers().firstValue(name).orElse(null);
    }
  }

  public Answer get(String path) throws IOException, InterruptedException {
    return send("GET", path, null);
  }

  public Answer post(String path, @Nullable String json) throws IOException, InterruptedException {
    return send("POST", path, json);
  }

  public Answer put(String path, String json) throws IOException, InterruptedException {
    return send("PUT", path, json);
  }

  public Answer delete(String path) throws IOException, InterruptedException {
    return send("DELETE", path, null);
  }

  public Answer send(String method, String path, @Nullable String json, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
            .timeout(Duration.ofSeconds(20))
            .method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json));
    if (json != null) {
      request.header("Content-Type", "application/json");
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    boolean isJson =
        response.headers().firstValue("content-type").orElse("").startsWith("application/json");
    JsonNode body = isJson ? MAPPER.readTree(response.body()) : MAPPER.missingNode();
    return new Answer(response.statusCode(), response, body);
  }

  /** Creates a sandbox and returns its id. */
  public String sandbox() throws IOException, InterruptedException {
    return post("/sandboxes", "{\"templateID\":\"base\"}").json().path("sandboxID").asText();
  }

  @Override
  public void close() {
    context.close();
    deleteOwnRoot();
  }

  private void deleteOwnRoot() {
    if (!Files.exists(ownRoot)) {
      return; // closed before
    }
    try (Stream<Path> all = Files.walk(ownRoot)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
