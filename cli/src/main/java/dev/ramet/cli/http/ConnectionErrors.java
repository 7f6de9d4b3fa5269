// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import dev.ramet.agent.AgentErrors;
import dev.ramet.api.host.HostTrust;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;

/** Converts I/O errors to {@link RametException}s. */
final class ConnectionErrors {
  private ConnectionErrors() {}

  /** Returns the error for an I/O error on a connection to a host. */
  static RametException connectionFailed(String base, IOException e) {
    if (e instanceof HttpRetryException retry) {
      return new RametException(
          AgentErrors.codeOfStatus(retry.responseCode()),
          "the host needs an API key",
          "set RAMET_API_KEY to a key; on the host's machine, root, the host's user and the"
              + " group ramet need none",
          e);
    }
    RametException tls = HostTrust.explain(URI.create(base), e);
    if (tls != null) {
      return tls;
    }
    if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
      return new RametException(
          ErrorCode.UNAVAILABLE, "no host answers at " + base, "start it with: ramet serve", e);
    }
    if (e instanceof UnknownHostException) {
      return new RametException(
          ErrorCode.UNAVAILABLE,
          "no such host: " + base,
          "check the address in --server or RAMET_SERVER",
          e);
    }
    if (e instanceof SocketTimeoutException) {
      return new RametException(
          ErrorCode.DEADLINE_EXCEEDED, "the host at " + base + " did not answer in time", e);
    }
    return new RametException(
        ErrorCode.UNAVAILABLE,
        "the connection to " + base + " broke: " + e.getMessage(),
        base.startsWith("https:")
            ? "check whether the host still runs: ramet doctor"
            : "check whether the host still runs: ramet doctor; if it speaks TLS, its address"
                + " begins with https://",
        e);
  }
}
