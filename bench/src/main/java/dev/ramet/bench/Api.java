// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.api.sandbox.CloneResult;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.errors.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the API that benchmarks make, in the calling thread alone: a client that hands
 * requests over between threads of its own adds to each what short calls take altogether. Any
 * answer but 2xx is an error. Thread-safe.
 */
final class Api {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final int port;

  Api(int port) {
    this.port = port;
  }

  int port() {
    return port;
  }

  void buildTemplate(String recipe) throws IOException {
    post("/templates", Map.of("recipe", recipe));
  }

  void buildTemplate(String recipe, int memoryMb) throws IOException {
    post("/templates", Map.of("recipe", recipe, "memoryMB", memoryMb));
  }

  List<SandboxInfo> sandboxes() throws IOException {
    return JSON.readValue(get("/sandboxes"), new TypeReference<>() {});
  }

  /** A sandbox that is never killed by itself. */
  SandboxInfo create(String source) throws IOException {
    Map<String, Object> body = Map.of("templateID", source, "timeout", -1);
    return JSON.readValue(post("/sandboxes", body), SandboxInfo.class);
  }

  void kill(String sandbox) throws IOException {
    delete("/sandboxes/" + sandbox);
  }

  SnapshotInfo snapshot(String sandbox) throws IOException {
    return snapshot(sandbox, Map.of());
  }

  /** In this memory mode and no other. */
  SnapshotInfo snapshot(String sandbox, String memoryMode) throws IOException {
    return snapshot(sandbox, Map.of("memoryMode", memoryMode));
  }

  /**
   * Compared with all of the paused machine's memory, which makes its pause long.
   *
   * @return null when a page differs
   */
  @Nullable SnapshotInfo verifiedSnapshot(String sandbox) throws IOException {
    try {
      return snapshot(sandbox, Map.of("verify", true));
    } catch (Refusal e) {
      if (e.error.equals(ErrorCode.CORRUPT.name())) {
        return null;
      }
      throw e;
    }
  }

  /** The last one again if nothing changed since. */
  SnapshotInfo snapshotIfChanged(String sandbox) throws IOException {
    return snapshot(sandbox, Map.of("ifChanged", true));
  }

  private SnapshotInfo snapshot(String sandbox, Map<String, Object> body) throws IOException {
    String answer = post("/sandboxes/" + sandbox + "/snapshots", body);
    return JSON.readValue(answer, SnapshotInfo.class);
  }

  /** A sandbox more of a snapshot, which is never killed by itself. */
  String fork(String snapshot) throws IOException {
    String answer = post("/snapshots/" + snapshot + "/fork", Map.of("timeout", -1));
    return JSON.readTree(answer).findValue("sandboxID").asText();
  }

  /** Pauses a sandbox without its memory. */
  void pauseDisk(String sandbox) throws IOException {
    post("/sandboxes/" + sandbox + "/pause", Map.of("memory", false));
  }

  /** The first page of the sandboxes, unread. */
  String page() throws IOException {
    return get("/v2/sandboxes");
  }

  /** How long all operations of a kind have taken that went well. */
  double operationSeconds(String kind) throws IOException {
    String prefix = "ramet_operation_seconds_sum{";
    return get("/metrics")
        .lines()
        .filter(line -> line.startsWith(prefix))
        .filter(line -> line.contains("kind=\"" + kind + "\"") && line.contains("outcome=\"OK\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  void deleteSnapshot(String snapshot) throws IOException {
    delete("/snapshots/" + snapshot);
  }

  void rollback(String sandbox, String snapshot) throws IOException {
    post("/sandboxes/" + sandbox + "/rollback", Map.of("snapshotID", snapshot));
  }

  CloneResult clone(String sandbox, int count, int concurrency) throws IOException {
    Map<String, Object> body = Map.of("count", count, "concurrency", concurrency, "timeout", -1);
    return JSON.readValue(post("/sandboxes/" + sandbox + "/clone", body), CloneResult.class);
  }

  /** Has everything probed anew. */
  void probe() throws IOException {
    post("/doctor", Map.of());
  }

  private String get(String path) throws IOException {
    return send("GET", path, null);
  }

  private void delete(String path) throws IOException {
    send("DELETE", path, null);
  }

  private String post(String path, Object body) throws IOException {
    return send("POST", path, JSON.writeValueAsBytes(body));
  }

  private String send(String method, String path, byte @Nullable [] body) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setReadTimeout((int) PATIENCE.toMillis());
    connection.setRequestProperty("Content-Type", "application/json");
    if (body != null) {
      connection.setDoOutput(true);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
    }
    int status = connection.getResponseCode();
    String answer = read(status < 400 ? connection.getInputStream() : connection.getErrorStream());
    if (status / 100 != 2) {
      String what = method + " " + path + " answered " + status + ": " + answer;
      throw new Refusal(what, JSON.readTree(answer).path("error").asText());
    }
    return answer;
  }

  /** An answer other than 2xx, with the name of its error. */
  private static final class Refusal extends IOException {
    private static final long serialVersionUID = 1L;

    final String error;

    Refusal(String what, String error) {
      super(what);
      this.error = error;
    }
  }

  /** Reads to the end: then the connection is kept for the next request. */
  private static String read(@Nullable InputStream body) throws IOException {
    if (body == null) {
      return "";
    }
    try (body) {
      return new String(body.readAllBytes(), UTF_8);
    }
  }
}
