// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way to the agent of a sandbox through its host, which forwards calls that name the sandbox.
 * Thread-safe.
 */
public abstract class HostRoute implements Route {
  /** The port on which agents listen. */
  private static final String AGENT_PORT = "49983";

  private final String sandbox;
  private volatile @Nullable String token;

  /**
   * Creates a route.
   *
   * @param sandbox the sandbox's id
   * @param token the access token that its agent requires, empty for none, null if not known yet
   */
  protected HostRoute(String sandbox, @Nullable String token) {
    this.sandbox = sandbox;
    this.token = token;
  }

  /** Sends a call to the host; see {@link Route#request}. */
  protected abstract byte[] exchange(Call call);

  /** Sends a call to the host; see {@link Route#open}. */
  protected abstract Answer stream(Call call);

  /**
   * Asks the host for the sandbox.
   *
   * @return the access token that its agent requires, empty or null for none
   * @throws RametException the host's error, for example because there is no such sandbox
   */
  protected abstract @Nullable String fetchAccessToken();

  @Override
  public final byte[] request(Call call) {
    return sendWithToken(call, this::exchange);
  }

  @Override
  public final Answer open(Call call) {
    return sendWithToken(call, this::stream);
  }

  /**
   * Sends a call with the access token if one is needed. Most sandboxes need none, so the host is
   * asked for it only after a refusal, or before a call that cannot be repeated.
   *
   * <p>A missing sandbox looks like one that does not respond, so on failure this asks the host
   * which it is.
   */
  private <T> T sendWithToken(Call call, Function<Call, T> send) {
    if (token == null && !call.repeatable()) {
      refreshToken();
    }
    try {
      return send.apply(withRouting(call));
    } catch (RametException e) {
      if (e.code() == ErrorCode.UNAUTHENTICATED && token == null) {
        refreshToken();
        return send.apply(withRouting(call));
      }
      if (e.code() == ErrorCode.GUEST_UNREACHABLE) {
        fetchAccessToken();
      }
      throw e;
    }
  }

  private void refreshToken() {
    String known = fetchAccessToken();
    token = known == null ? "" : known;
  }

  private Call withRouting(Call call) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("E2b-Sandbox-Id", sandbox);
    headers.put("E2b-Sandbox-Port", AGENT_PORT);
    String shown = token;
    if (shown != null && !shown.isEmpty()) {
      headers.put("X-Access-Token", shown);
    }
    return call.with(headers);
  }
}
