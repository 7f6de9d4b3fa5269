// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A local user other than the host: anyone who may connect to the loopback interface can reach a
 * machine's forwarded port.
 */
final class Stranger {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String agent;

  Stranger(InetSocketAddress agent) {
    this.agent = "http://" + agent.getAddress().getHostAddress() + ":" + agent.getPort();
  }

  /**
   * Calls a path that only the host may call, to take the machine over.
   *
   * @param secret sent as the host's; null for none
   * @return the status of the response
   */
  int post(String path, @Nullable String secret) throws Exception {
    HttpRequest.Builder request = request(path);
    if (secret != null) {
      request.header("X-Ramet-Host-Secret", secret);
    }
    String body = "{\"accessToken\":\"mine\",\"hostSecret\":\"mine\"}";
    return send(request.POST(BodyPublishers.ofString(body))).statusCode();
  }

  /** Returns the response to a request for a file, with or without a token. */
  HttpResponse<String> read(String file, @Nullable String token) throws Exception {
    HttpRequest.Builder request = request("/files?path=" + file);
    if (token != null) {
      request.header("X-Access-Token", token);
    }
    return send(request.GET());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(agent + path)).timeout(Duration.ofSeconds(60));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      // The connection dates from before the rollback.
      return http.send(request.build(), BodyHandlers.ofString());
    }
  }
}
