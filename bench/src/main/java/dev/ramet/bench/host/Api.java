// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

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
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the API calls of benchmarks, in the calling thread alone: a client that passes requests
 * between threads would add as much time to each as short calls take altogether. Any response other
 * than 2xx is an error. Thread-safe.
 */
public final class Api {
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final int port;

  Api(int port) {
    this.port = port;
  }

  public int port() {
    return port;
  }

  public void buildTemplate(String recipe) throws IOException {
    post("/templates", Map.of("recipe", recipe));
  }

  public void buildTemplate(String recipe, int memoryMb) throws IOException {
    post("/templates", Map.of("recipe", recipe, "memoryMB", memoryMb));
  }

  public List<SandboxInfo> sandboxes() throws IOException {
    return JSON.readValue(get("/sandboxes"), new TypeReference<>() {});
  }

  /** Creates a sandbox that never ends by itself. */
  public SandboxInfo create(String source) throws IOException {
    Map<String, Object> body = Map.of("templateID", source, "timeout", -1);
    return JSON.readValue(post("/sandboxes", body), SandboxInfo.class);
  }

  public void kill(String sandbox) throws IOException {
    delete("/sandboxes/" + sandbox);
  }

  public SnapshotInfo snapshot(String sandbox) throws IOException {
    return snapshot(sandbox, Map.of());
  }

  /** Takes a snapshot in this memory mode and no other. */
  public SnapshotInfo snapshot(String sandbox, String memoryMode) throws IOException {
    return snapshot(sandbox, Map.of("memoryMode", memoryMode));
  }

  /**
   * Takes a snapshot and compares it with all of the paused machine's memory, which makes the pause
   * long.
   *
   * @return null if a page differs
   */
  public @Nullable SnapshotInfo verifiedSnapshot(String sandbox) throws IOException {
    try {
      return snapshot(sandbox, Map.of("verify", true));
    } catch (Refusal e) {
      if (e.error.equals(ErrorCode.CORRUPT.name())) {
        return null;
      }
      throw e;
    }
  }

  /** Takes a snapshot, or returns the last one if nothing changed since. */
  public SnapshotInfo snapshotIfChanged(String sandbox) throws IOException {
    return snapshot(sandbox, Map.of("ifChanged", true));
  }

  private SnapshotInfo snapshot(String sandbox, Map<String, Object> body) throws IOException {
    String answer = post("/sandboxes/" + sandbox + "/snapshots", body);
    return JSON.readValue(answer, SnapshotInfo.class);
  }

  /** Forks another sandbox from a snapshot; it never ends by itself. Returns its id. */
  public String fork(String snapshot) throws IOException {
    String answer = post("/snapshots/" + snapshot + "/fork", Map.of("timeout", -1));
    return JSON.readTree(answer).findValue("sandboxID").asText();
  }

  /** Pauses a sandbox without its memory. */
  public void pauseDisk(String sandbox) throws IOException {
    post("/sandboxes/" + sandbox + "/pause", Map.of("memory", false));
  }

  /** Returns the first page of the list of sandboxes, unparsed. */
  public String page() throws IOException {
    return get("/v2/sandboxes");
  }

  /** Returns the total duration, in seconds, of all successful operations of a kind. */
  public double operationSeconds(String kind) throws IOException {
    String prefix = "ramet_operation_seconds_sum{";
    return get("/metrics")
        .lines()
        .filter(line -> line.startsWith(prefix))
        .filter(line -> line.contains("kind=\"" + kind + "\"") && line.contains("outcome=\"OK\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  public void deleteSnapshot(String snapshot) throws IOException {
    delete("/snapshots/" + snapshot);
  }

  public void rollback(String sandbox, String snapshot) throws IOException {
    post("/sandboxes/" + sandbox + "/rollback", Map.of("snapshotID", snapshot));
  }

  public CloneResult clone(String sandbox, int count, int concurrency) throws IOException {
    Map<String, Object> body = Map.of("count", count, "concurrency", concurrency, "timeout", -1);
    return JSON.readValue(post("/sandboxes/" + sandbox + "/clone", body), CloneResult.class);
  }

  /** Repeats all probes. */
  public void probe() throws IOException {
    post("/doctor", Map.of());
  }

  /**
   * Exports a snapshot to a new directory.
   *
   * @param since the base of an increment, or null for a full export
   */
  public void export(String snapshot, @Nullable String since, Path directory) throws IOException {
    Map<String, Object> body = new HashMap<>();
    body.put("snapshot", snapshot);
    body.put("directory", directory.toString());
    if (since != null) {
      body.put("since", since);
    }
    post("/storage/export", body);
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
    connection.setReadTimeout((int) TIMEOUT.toMillis());
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

  /** The error for a response other than 2xx, with its error code. */
  private static final class Refusal extends IOException {
    private static final long serialVersionUID = 1L;

    final String error;

    Refusal(String what, String error) {
      super(what);
      this.error = error;
    }
  }

  /** Reads to the end, so that the connection is kept for the next request. */
  private static String read(@Nullable InputStream body) throws IOException {
    if (body == null) {
      return "";
    }
    try (body) {
      return new String(body.readAllBytes(), UTF_8);
    }
  }
}
