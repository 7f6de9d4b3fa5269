// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.Call;
import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.agent.HttpCalls;
import dev.ramet.agent.IdleTimeoutStream;
import dev.ramet.agent.host.AgentAccess;
import dev.ramet.agent.wire.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends the requests about one directory, and puts the agent's errors into words. Thread-safe. */
final class Requests {
  private static final String VERSION_HEADER = "X-Ramet-Workspace";
  private static final String VERSION = "1";
  private static final int MAX_ANSWER_BYTES = 8 << 20;
  private static final int GONE = 410;

  /** The agent sends at least an empty line every 5 s, also under emulation. */
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final String address;
  private final AgentAccess access;
  private final String root;
  private final Duration limit;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  Requests(InetSocketAddress address, AgentAccess access, String root, Duration limit) {
    this.address = "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    this.access = access;
    this.root = root;
    this.limit = limit;
  }

  /** Returns the JSON of a small response. */
  JsonNode answer(String method, String name, String query, @Nullable Content content) {
    try (InputStream in = open(method, name, query, content).body()) {
      byte[] body = in.readNBytes(MAX_ANSWER_BYTES + 1);
      if (body.length > MAX_ANSWER_BYTES) {
        throw new IOException("the answer is too large");
      }
      return Json.tree(body);
    } catch (IOException e) {
      throw Listing.refused(String.valueOf(e.getMessage()), e);
    }
  }

  /** Sends a request and returns its successful response while it arrives. */
  HttpResponse<InputStream> open(
      String method, String name, String query, @Nullable Content content) {
    String path = "/ramet/workspace/" + name + "?root=" + Guest.encode(root) + query;
    Call call = new Call(method, path, access.headers(), content, SILENCE);
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
    HttpResponse<InputStream> answer;
    try {
      answer =
          HttpCalls.send(
              http,
              HttpCalls.onto(request, call).build(),
              info ->
                  BodySubscribers.mapping(
                      BodyHandlers.ofInputStream().apply(info),
                      in -> new IdleTimeoutStream(in, SILENCE)),
              limit,
              () -> {});
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.GUEST_UNREACHABLE, "the guest's agent did not answer about a workspace", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for the guest", e);
    }
    if (answer.headers().firstValue(VERSION_HEADER).filter(VERSION::equals).isEmpty()) {
      closeQuietly(answer.body());
      throw answer.statusCode() == 401
          ? new RametException(ErrorCode.GUEST_UNREACHABLE, "the guest's agent refused its host")
          : new RametException(
              ErrorCode.AGENT_TOO_OLD,
              "the agent in the guest knows no workspaces",
              "restart the sandbox: it gets the present agent when it boots",
              null);
    }
    if (answer.statusCode() / 100 != 2) {
      throw error(answer);
    }
    return answer;
  }

  private static RametException error(HttpResponse<InputStream> answer) {
    try (InputStream in = answer.body()) {
      JsonNode body = Json.tree(in.readNBytes(MAX_ANSWER_BYTES));
      return failure(answer.statusCode(), body.path("message").asText());
    } catch (IOException e) {
      return failure(answer.statusCode(), "status " + answer.statusCode());
    }
  }

  /** Returns the error for one that the agent reports. */
  static RametException failure(int status, String message) {
    ErrorCode code =
        switch (status) {
          case 400 -> ErrorCode.INVALID_ARGUMENT;
          case 404, GONE -> ErrorCode.NOT_FOUND;
          case 409, 429 -> ErrorCode.CONFLICT;
          case 413 -> ErrorCode.TOO_LARGE;
          case 507 -> ErrorCode.NO_SPACE;
          default -> ErrorCode.GUEST_UNREACHABLE;
        };
    String shown = message.substring(0, Math.min(message.length(), 4000));
    return new RametException(code, "workspace: " + shown.replaceAll("[\\p{Cntrl}&&[^\n]]", "?"));
  }

  /** Ends a response that is of no use. */
  static void closeQuietly(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      // Nothing is read from it any more.
    }
  }
}
