// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.api.host.HostTrust;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;

/** Converts I/O errors to {@link RametException}s. */
final class ConnectionErrors {
  private ConnectionErrors() {}

  /** Returns the error for an I/O error on the connection to a host. */
  static RametException connectionFailed(URI host, IOException e) {
    RametException tls = HostTrust.explain(host, e);
    if (tls != null) {
      return tls;
    }
    if (e instanceof ConnectException || e instanceof HttpConnectTimeoutException) {
      return new RametException(
          ErrorCode.UNAVAILABLE,
          "no host answers at " + host,
          "check the address and whether the host runs: ramet doctor",
          e);
    }
    if (e instanceof HttpTimeoutException) {
      return timedOut(host);
    }
    return new RametException(
        ErrorCode.UNAVAILABLE,
        "the connection to " + host + " broke: " + e.getMessage(),
        "check whether the host still runs: ramet doctor",
        e);
  }

  static RametException timedOut(URI host) {
    return new RametException(
        ErrorCode.DEADLINE_EXCEEDED,
        "the host at " + host + " did not answer in time",
        "give calls more time with Settings.withTimeout, or look at the host's work: ramet"
            + " operation ls",
        null);
  }

  /** Returns the error for an interrupted thread and restores its interrupt status. */
  static RametException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new RametException(ErrorCode.CANCELLED, "the calling thread was interrupted", e);
  }
}
