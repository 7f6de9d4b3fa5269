// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.agent.Answer;
import dev.ramet.agent.Call;
import dev.ramet.agent.HostRoute;
import dev.ramet.agent.HttpCalls;
import dev.ramet.agent.IdleTimeoutStream;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** The way to the agent of one sandbox through a client's host. Thread-safe. */
final class HostedGuest extends HostRoute {
  private final Http http;
  private final String sandbox;

  /**
   * Creates a route.
   *
   * @param token the access token that the agent requires, empty for none, null if not known yet
   */
  HostedGuest(Http http, String sandbox, @Nullable String token) {
    super(sandbox, token);
    this.http = http;
    this.sandbox = sandbox;
  }

  private HttpRequest.Builder newRequest(Call call) {
    return HttpCalls.onto(http.request(call.method(), call.path(), null), call);
  }

  @Override
  protected byte[] exchange(Call call) {
    return http.bytes(newRequest(call));
  }

  @Override
  protected Answer stream(Call call) {
    InputStream stream = http.stream(newRequest(call));
    // The JDK's client itself notices when less arrives than was announced.
    return new Answer(
        call.silence() == null ? stream : new IdleTimeoutStream(stream, call.silence()), -1);
  }

  @Override
  protected @Nullable String fetchAccessToken() {
    return http.get("/sandboxes/" + Http.encode(sandbox), SandboxInfo.class).envdAccessToken();
  }

  @Override
  public RametException incompleteResponse(IOException e) {
    return http.connectionFailed(e);
  }

  @Override
  public RametException streamEnded(@Nullable IOException e) {
    try {
      fetchAccessToken();
    } catch (RametException reason) {
      return reason;
    }
    return new RametException(
        ErrorCode.GUEST_UNREACHABLE,
        "the sandbox " + sandbox + " ended before the program did",
        "the sandbox may have been rolled back or paused: check its state",
        e);
  }
}
