// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.message.LocalResponse;
import dev.ramet.egress.proxy.RefusedException;
import dev.ramet.egress.rule.MissingSecretException;
import dev.ramet.egress.stream.ChannelStreams;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Responses to requests that could not be forwarded, or that the host did not answer. */
final class GatewayErrors {
  private static final System.Logger LOG = System.getLogger(GatewayErrors.class.getName());

  private GatewayErrors() {}

  /**
   * Returns the response if a host could not be reached.
   *
   * @param why the failure, or null if the connection ended without a response
   */
  static LocalResponse unreachable(Exchange exchange, String name, @Nullable Throwable why) {
    Throwable cause = ChannelStreams.cause(why);
    LOG.log(System.Logger.Level.DEBUG, "cannot connect to upstream", cause);
    if (cause instanceof RefusedException) {
      return new LocalResponse(
          HttpResponseStatus.FORBIDDEN, String.valueOf(cause.getMessage()), exchange.toHead());
    }
    String reason =
        cause instanceof SSLException
            ? "has no certificate that this sandbox's host trusts, or does not speak TLS"
            : cause instanceof UnknownHostException
                ? "is not known to this sandbox's host"
                : "does not answer";
    return badGateway(exchange, name + " " + reason);
  }

  /** Returns the response if the headers cannot be determined. */
  static LocalResponse unavailable(Exchange exchange, String name, @Nullable Throwable why) {
    Throwable cause = ChannelStreams.cause(why);
    if (cause instanceof MissingSecretException missing) {
      return badGateway(
          exchange,
          "the rules of this sandbox put the secret "
              + missing.name()
              + " into requests to "
              + name
              + ", but it was deleted");
    }
    LOG.log(System.Logger.Level.WARNING, "a guest''s request to {0} failed: {1}", name, cause);
    return badGateway(exchange, "the host cannot read its secrets");
  }

  private static LocalResponse badGateway(Exchange exchange, String text) {
    return new LocalResponse(HttpResponseStatus.BAD_GATEWAY, text, exchange.toHead());
  }
}
