// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.api.CloneResult;
import dev.ramet.api.SandboxInfo;
import dev.ramet.api.SnapshotInfo;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The calls of the API that benchmarks make. Any answer but 2xx is an error. Thread-safe. */
final class Api {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port;

  Api(int port) {
    this.port = port;
  }

  int port() {
    return port;
  }

  void buildTemplate(String recipe) throws IOException, InterruptedException {
    post("/templates", Map.of("recipe", recipe));
  }

  void buildTemplate(String recipe, int memoryMb) throws IOException, InterruptedException {
    post("/templates", Map.of("recipe", recipe, "memoryMB", memoryMb));
  }

  List<SandboxInfo> sandboxes() throws IOException, InterruptedException {
    return JSON.readValue(get("/sandboxes"), new TypeReference<>() {});
  }

  /** A sandbox that is never killed by itself. */
  SandboxInfo create(String source) throws IOException, InterruptedException {
    Map<String, Object> body = Map.of("templateID", source, "timeout", -1);
    return JSON.readValue(post("/sandboxes", body), SandboxInfo.class);
  }

  void kill(String sandbox) throws IOException, InterruptedException {
    delete("/sandboxes/" + sandbox);
  }

  SnapshotInfo snapshot(String sandbox) throws IOException, InterruptedException {
    return snapshot(sandbox, Map.of());
  }

  /** In this memory mode and no other. */
  SnapshotInfo snapshot(String sandbox, String memoryMode)
      throws IOException, InterruptedException {
    return snapshot(sandbox, Map.of("memoryMode", memoryMode));
  }

  /**
   * The last one again if nothing changed since. Asks in the calling thread alone. The client that
   * the other calls use hands each over between threads of its own, which takes as long as this
   * answer.
   */
  SnapshotInfo snapshotIfChanged(String sandbox) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + port + "/sandboxes/" + sandbox + "/snapshots");
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setReadTimeout((int) PATIENCE.toMillis());
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    try (OutputStream body = connection.getOutputStream()) {
      body.write(JSON.writeValueAsBytes(Map.of("ifChanged", true)));
    }
    // Read to its end the connection is kept for the next one.
    try (InputStream answer = connection.getInputStream()) {
      return JSON.readValue(answer.readAllBytes(), SnapshotInfo.class);
    }
  }

  private SnapshotInfo snapshot(String sandbox, Map<String, Object> body)
      throws IOException, InterruptedException {
    String answer = post("/sandboxes/" + sandbox + "/snapshots", body);
    return JSON.readValue(answer, SnapshotInfo.class);
  }

  /** A sandbox more of a snapshot, which is never killed by itself. */
  String fork(String snapshot) throws IOException, InterruptedException {
    String answer = post("/snapshots/" + snapshot + "/fork", Map.of("timeout", -1));
    return JSON.readTree(answer).findValue("sandboxID").asText();
  }

  /** Pauses a sandbox without its memory. */
  void pauseDisk(String sandbox) throws IOException, InterruptedException {
    post("/sandboxes/" + sandbox + "/pause", Map.of("memory", false));
  }

  /** The first page of the sandboxes, unread. */
  String page() throws IOException, InterruptedException {
    return get("/v2/sandboxes");
  }

  /** How long all operations of a kind have taken that went well. */
  double operationSeconds(String kind) throws IOException, InterruptedException {
    String prefix = "ramet_operation_seconds_sum{";
    return get("/metrics")
        .lines()
        .filter(line -> line.startsWith(prefix))
        .filter(line -> line.contains("kind=\"" + kind + "\"") && line.contains("outcome=\"OK\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  void deleteSnapshot(String snapshot) throws IOException, InterruptedException {
    delete("/snapshots/" + snapshot);
  }

  void rollback(String sandbox, String snapshot) throws IOException, InterruptedException {
    post("/sandboxes/" + sandbox + "/rollback", Map.of("snapshotID", snapshot));
  }

  CloneResult clone(String sandbox, int count, int concurrency)
      throws IOException, InterruptedException {
    Map<String, Object> body = Map.of("count", count, "concurrency", concurrency, "timeout", -1);
    return JSON.readValue(post("/sandboxes/" + sandbox + "/clone", body), CloneResult.class);
  }

  /** Has everything probed anew. */
  void probe() throws IOException, InterruptedException {
    post("/doctor", Map.of());
  }

  private String get(String path) throws IOException, InterruptedException {
    return send("GET", path, BodyPublishers.noBody());
  }

  private void delete(String path) throws IOException, InterruptedException {
    send("DELETE", path, BodyPublishers.noBody());
  }

  private String post(String path, Object body) throws IOException, InterruptedException {
    return send("POST", path, BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
  }

  private String send(String method, String path, BodyPublisher body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .method(method, body)
            .build();
    HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
    if (answer.statusCode() / 100 != 2) {
      throw new IOException(
          method + " " + path + " answered " + answer.statusCode() + ": " + answer.body());
    }
    return answer.body();
  }
}
