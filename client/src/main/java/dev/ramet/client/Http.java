// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.agent.AgentErrors;
import dev.ramet.agent.Guest;
import dev.ramet.agent.HttpCalls;
import dev.ramet.api.host.HostTrust;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Sends requests to one host. Thread-safe. */
final class Http {
  private static final int ATTEMPTS = 3;

  private final Settings settings;
  private final String base;
  private volatile @Nullable HttpClient client;

  Http(Settings settings) {
    URI uri = settings.uri();
    if (uri.getHost() == null
        || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "not an address of a host: " + uri,
          "give one like http://127.0.0.1:3000",
          null);
    }
    this.settings = settings;
    String text = uri.toString();
    this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.connectTimeout());
    if (settings.authority() != null) {
      builder.sslContext(HostTrust.in(settings.authority()));
    }
    this.client = builder.build();
  }

  /** Encodes one path segment or one query value. */
  static String encode(String text) {
    return Guest.encode(text);
  }

  <T> T get(String path, Class<T> type) {
    return Json.read(sendForResponse(request("GET", path, null)).body(), type);
  }

  void delete(String path) {
    sendForResponse(request("DELETE", path, null));
  }

  /** Sends a DELETE with a body that names what to delete. */
  void delete(String path, Object body) {
    sendForResponse(request("DELETE", path, body));
  }

  /** Sends a POST that may safely be repeated. */
  void post(String path, Object body) {
    sendForResponse(request("POST", path, body));
  }

  /** Sends a PUT. */
  void put(String path, Object body) {
    sendForResponse(request("PUT", path, body));
  }

  /** Returns all pages of a list. */
  <T> List<T> getAllPages(String path, Class<T[]> type) {
    List<T> all = new ArrayList<>();
    String next = path;
    while (true) {
      HttpResponse<byte[]> page = sendForResponse(request("GET", next, null));
      Collections.addAll(all, Json.read(page.body(), type));
      String token = page.headers().firstValue("x-next-token").orElse(null);
      if (token == null) {
        return all;
      }
      next = path + (path.indexOf('?') < 0 ? "?" : "&") + "nextToken=" + encode(token);
    }
  }

  /**
   * Sends a POST that must take effect once. It carries an idempotency key, so it is sent again
   * when the connection breaks or when the host asks to retry later.
   */
  <T> T postOnce(String path, Object body, Class<T> type) {
    HttpRequest request =
        request("POST", path, body).header("Idempotency-Key", UUID.randomUUID().toString()).build();
    long end = System.nanoTime() + settings.timeout().toNanos();
    for (int attempt = 1; ; attempt++) {
      long pauseMillis;
      try {
        HttpResponse<byte[]> answer =
            exchange(
                request, Duration.ofNanos(end - System.nanoTime()), BodyHandlers.ofByteArray());
        if (answer.statusCode() / 100 == 2) {
          return Json.read(answer.body(), type);
        }
        RametException refused = AgentErrors.fromResponse(answer.statusCode(), answer.body());
        pauseMillis = retryAfterMillis(answer);
        if (pauseMillis < 0) {
          throw refused;
        }
        if (System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis) - end >= 0) {
          throw refused;
        }
      } catch (ConnectException | HttpTimeoutException | SSLHandshakeException e) {
        throw connectionFailed(e);
      } catch (IOException e) {
        if (attempt >= ATTEMPTS) {
          throw connectionFailed(e);
        }
        pauseMillis = 100L * attempt;
      }
      sleep(pauseMillis);
    }
  }

  private static long retryAfterMillis(HttpResponse<?> answer) {
    String seconds = answer.headers().firstValue("Retry-After").orElse("");
    return seconds.matches("[0-9]{1,6}") ? Math.max(100, Long.parseLong(seconds) * 1000) : -1;
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw ConnectionErrors.interrupted(e);
    }
  }

  /** Returns a request that is not sent yet. */
  HttpRequest.Builder request(String method, String path, @Nullable Object json) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .header("User-Agent", "ramet-java")
            .header("Accept", "application/json");
    if (settings.apiKey() != null) {
      request.header("X-API-KEY", settings.apiKey());
    }
    if (json == null) {
      return request.method(method, BodyPublishers.noBody());
    }
    return request
        .header("Content-Type", "application/json")
        .method(method, BodyPublishers.ofByteArray(Json.bytes(json)));
  }

  private HttpResponse<byte[]> sendForResponse(HttpRequest.Builder request) {
    try {
      return requireSuccess(
          exchange(request.build(), settings.timeout(), BodyHandlers.ofByteArray()));
    } catch (IOException e) {
      throw connectionFailed(e);
    }
  }

  /** Returns the whole body of a successful response. */
  byte[] bytes(HttpRequest.Builder request) {
    return sendForResponse(request).body();
  }

  /** Returns the body of a successful response as a stream, which the caller must close. */
  InputStream stream(HttpRequest.Builder request) {
    try {
      HttpResponse<InputStream> answer =
          exchange(request.build(), settings.timeout(), BodyHandlers.ofInputStream());
      if (answer.statusCode() / 100 == 2) {
        return answer.body();
      }
      try (InputStream body = answer.body()) {
        throw AgentErrors.fromResponse(answer.statusCode(), body.readAllBytes());
      }
    } catch (IOException e) {
      throw connectionFailed(e);
    }
  }

  private static HttpResponse<byte[]> requireSuccess(HttpResponse<byte[]> answer) {
    if (answer.statusCode() / 100 == 2) {
      return answer;
    }
    throw AgentErrors.fromResponse(answer.statusCode(), answer.body());
  }

  private <T> HttpResponse<T> exchange(
      HttpRequest request, Duration limit, HttpResponse.BodyHandler<T> body) throws IOException {
    HttpClient open = client;
    if (open == null) {
      throw new IllegalStateException("this client was closed");
    }
    try {
      return HttpCalls.send(open, request, body, limit, () -> {});
    } catch (InterruptedException e) {
      throw ConnectionErrors.interrupted(e);
    }
  }

  RametException connectionFailed(IOException e) {
    return ConnectionErrors.connectionFailed(settings.uri(), e);
  }

  /** The JDK's client ends its threads and connections when it is no longer referenced. */
  void close() {
    client = null;
  }
}
