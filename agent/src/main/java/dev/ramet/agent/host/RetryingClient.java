// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import dev.ramet.agent.Call;
import dev.ramet.agent.HttpCalls;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Sends a request to a guest's agent repeatedly until it answers. Every call uses new connections,
 * because a guest that was rolled back does not know earlier ones.
 *
 * <p>Thread-safe.
 */
final class RetryingClient {
  private static final Duration MAX_ATTEMPT = Duration.ofSeconds(5);
  private static final long RETRY_MILLIS = 20;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();

  /**
   * Returns the response, whatever its status.
   *
   * @param call creates the request again for each attempt
   * @param firstAttempt how long the first attempt may take; each further attempt may take a
   *     quarter longer
   * @param alive returns false as soon as waiting is pointless because the machine has ended
   * @throws RametException {@code GUEST_UNREACHABLE} when the agent did not answer in time
   */
  HttpResponse<byte[]> send(
      InetSocketAddress address,
      Supplier<Call> call,
      Duration firstAttempt,
      BooleanSupplier alive,
      Duration timeout) {
    String host = "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    long end = System.nanoTime() + timeout.toNanos();
    Duration attempt = firstAttempt;
    IOException last = null;
    while (true) {
      Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
      try {
        Call next = call.get();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(host + next.path()));
        return HttpCalls.send(
            http,
            HttpCalls.onto(request, next).build(),
            BoundedBody.bytes(),
            attempt.compareTo(left) < 0 ? attempt : left,
            () -> {});
      } catch (IOException e) {
        last = e;
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
      if (!alive.getAsBoolean() || System.nanoTime() >= end) {
        throw new RametException(
            ErrorCode.GUEST_UNREACHABLE,
            "the guest's agent did not answer within " + timeout.toSeconds() + " s",
            "look at the guest's console log; a template without an agent is imported with --cold",
            last);
      }
      pauseBriefly();
      attempt = nextTimeout(attempt);
    }
  }

  /**
   * Returns the time limit of the next attempt. A connection made before the guest listens hangs
   * until its attempt is given up: with limits that grow by a quarter, at most a fifth of the total
   * wait is lost this way.
   */
  private static Duration nextTimeout(Duration attempt) {
    Duration next = attempt.multipliedBy(5).dividedBy(4);
    return next.compareTo(MAX_ATTEMPT) < 0 ? next : MAX_ATTEMPT;
  }

  private static void pauseBriefly() {
    try {
      Thread.sleep(RETRY_MILLIS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Returns the error for an interrupted thread and restores its interrupt status. */
  static RametException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new RametException(ErrorCode.CANCELLED, "interrupted while waiting for the guest", e);
  }
}
