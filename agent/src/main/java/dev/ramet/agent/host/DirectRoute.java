// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import dev.ramet.agent.Answer;
import dev.ramet.agent.Call;
import dev.ramet.agent.HttpCalls;
import dev.ramet.agent.IdleTimeoutStream;
import dev.ramet.agent.Route;
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
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The way to the agent of a guest in which a template is built: without a proxy, and with text from
 * the guest made safe to show.
 */
final class DirectRoute implements Route {
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int INSUFFICIENT_STORAGE = 507;
  private static final Duration QUICK_TIMEOUT = Duration.ofSeconds(60);

  private final String address;
  private final AgentAccess access;
  private final Runnable waiting;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  /**
   * Creates a route.
   *
   * @param waiting called about once a second while a response does not come; an exception from it
   *     ends the call
   */
  DirectRoute(InetSocketAddress address, AgentAccess access, Runnable waiting) {
    this.address = "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    this.access = access;
    this.waiting = waiting;
  }

  @Override
  public byte[] request(Call call) {
    // Large content, which is not repeatable, takes the time it takes.
    boolean quick = call.content() == null || call.content().repeatable();
    HttpResponse<byte[]> answer = send(call, BoundedBody.bytes(), quick ? QUICK_TIMEOUT : null);
    if (answer.statusCode() / 100 != 2) {
      throw responseError(call, answer.statusCode(), answer.body());
    }
    return answer.body();
  }

  @Override
  public Answer open(Call call) {
    HttpResponse<InputStream> answer = send(call, BodyHandlers.ofInputStream(), QUICK_TIMEOUT);
    InputStream body = new IdleTimeoutStream(answer.body(), QUICK_TIMEOUT);
    if (answer.statusCode() / 100 == 2) {
      return new Answer(body, -1);
    }
    try (body) {
      throw responseError(call, answer.statusCode(), body.readNBytes(BoundedBody.MAX_BYTES));
    } catch (IOException e) {
      throw incompleteResponse(e);
    }
  }

  private <T> HttpResponse<T> send(Call call, BodyHandler<T> handler, @Nullable Duration limit) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + call.path()));
    HttpCalls.onto(request, call.with(access.headers()));
    try {
      return HttpCalls.send(http, request.build(), handler, limit, waiting);
    } catch (IOException e) {
      throw connectionLost(e);
    } catch (InterruptedException e) {
      throw RetryingClient.interrupted(e);
    }
  }

  private static RametException responseError(Call call, int status, byte[] body) {
    String message;
    try {
      message = AgentText.sanitize(Json.tree(body).path("message").asText());
    } catch (IOException e) {
      message = "status " + status;
    }
    if (status == NOT_FOUND && message.startsWith("no such endpoint")) {
      return new RametException(
          ErrorCode.UNSUPPORTED,
          "the agent of the source template does not know "
              + call.path().replaceAll("^/filesystem.Filesystem/|\\?.*", ""),
          "build the source template again",
          null);
    }
    ErrorCode code =
        switch (status) {
          case INSUFFICIENT_STORAGE -> ErrorCode.NO_SPACE;
          case CONFLICT -> ErrorCode.ALREADY_EXISTS;
          default -> status / 100 == 4 ? ErrorCode.INVALID_ARGUMENT : ErrorCode.GUEST_UNREACHABLE;
        };
    return new RametException(code, message);
  }

  @Override
  public RametException agentError(String code, String message) {
    ErrorCode meaning =
        switch (code) {
          case "deadline_exceeded" -> ErrorCode.DEADLINE_EXCEEDED;
          case "resource_exhausted" -> ErrorCode.NO_SPACE;
          default -> ErrorCode.INVALID_ARGUMENT;
        };
    return new RametException(meaning, AgentText.sanitize(message));
  }

  @Override
  public RametException incompleteResponse(IOException e) {
    return connectionLost(e);
  }

  @Override
  public RametException streamEnded(@Nullable IOException e) {
    return connectionLost(e);
  }

  private static RametException connectionLost(@Nullable IOException cause) {
    return new RametException(
        ErrorCode.GUEST_UNREACHABLE, "the machine ended before the step did", cause);
  }
}
