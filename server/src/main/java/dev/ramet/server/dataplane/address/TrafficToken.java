// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane.address;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The token that requests need for the ports of a sandbox that is not open to everyone. */
public final class TrafficToken {
  static final String HEADER = "E2b-Traffic-Access-Token";

  private TrafficToken() {}

  /**
   * Removes the token from a request, because it is for the host and not for the guest.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when there are two
   */
  public static @Nullable String removeFrom(HttpHeaders headers) {
    List<String> values = headers.getAll(HEADER);
    headers.remove(HEADER);
    if (values.size() > 1) {
      throw RametException.invalid(HEADER, "must be given exactly once");
    }
    return values.isEmpty() ? null : values.get(0).trim();
  }

  /**
   * Checks that a request may reach a sandbox's ports.
   *
   * @param brought the result of {@link #removeFrom}
   * @throws RametException {@code FORBIDDEN} when it may not
   */
  static void check(Sandbox sandbox, @Nullable String brought) {
    String wanted = sandbox.trafficToken();
    if (wanted == null) {
      return;
    }
    if (brought == null) {
      throw refusal("The sandbox needs its traffic access token, and the request has none");
    }
    if (!MessageDigest.isEqual(bytes(wanted), bytes(brought))) {
      throw refusal("The traffic access token is not this sandbox's");
    }
  }

  private static RametException refusal(String message) {
    return new RametException(
        ErrorCode.FORBIDDEN,
        message,
        "send the trafficAccessToken from the response of create or connect in the header "
            + HEADER,
        null);
  }

  private static byte[] bytes(String token) {
    return token.getBytes(StandardCharsets.UTF_8);
  }
}
