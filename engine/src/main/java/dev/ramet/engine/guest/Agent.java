// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.store.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Client of the guest's agent. Every call makes connections of its own, since a guest that was put
 * back in time does not know the ones made before.
 *
 * <p>Thread-safe.
 */
public final class Agent {
  private static final int ENTROPY_BYTES = 64;
  // User networking accepts a connection before a booting guest listens, and lets it hang.
  private static final Duration FIRST_ATTEMPT_BOOTING = Duration.ofMillis(250);
  private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(2);
  private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(5);
  private static final long RETRY_MILLIS = 20;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();

  /** A client. */
  public Agent() {}

  /**
   * Sets the guest's clock and mixes fresh randomness into its kernel, so that no two machines that
   * were one share either. Waits until the agent answers.
   *
   * @param environment default environment of processes; empty leaves what the guest has
   * @param booting whether the agent is yet to be started, rather than there already
   * @param alive false as soon as waiting is pointless because the machine has ended
   * @throws RametException {@code GUEST_UNREACHABLE} when it did not answer in time
   */
  public void initialise(
      InetSocketAddress address,
      Map<String, String> environment,
      boolean booting,
      BooleanSupplier alive,
      Duration timeout) {
    // The same for every attempt: the agent drops connections of an earlier generation only.
    String generation = Long.toHexString(RANDOM.nextLong());
    Duration firstAttempt = booting ? FIRST_ATTEMPT_BOOTING : FIRST_ATTEMPT;
    post(
        address,
        "/init",
        () -> initialisation(environment, generation),
        firstAttempt,
        alive,
        timeout);
  }

  /** Lets the agent and the guest's kernel put away what a memory image need not hold. */
  public void settle(InetSocketAddress address, Duration timeout) {
    post(address, "/settle", () -> new byte[0], timeout, () -> true, timeout);
  }

  private static byte[] initialisation(Map<String, String> environment, String generation) {
    byte[] entropy = new byte[ENTROPY_BYTES];
    RANDOM.nextBytes(entropy);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("entropy", Base64.getEncoder().encodeToString(entropy));
    if (!environment.isEmpty()) {
      body.put("envVars", environment);
    }
    body.put("generation", generation);
    // Last, so that it is as fresh as can be.
    body.put("timestamp", Instant.now().toString());
    return Json.bytes(body);
  }

  private interface Body {
    byte[] get();
  }

  private void post(
      InetSocketAddress address,
      String path,
      Body body,
      Duration firstAttempt,
      BooleanSupplier alive,
      Duration timeout) {
    URI uri =
        URI.create(
            "http://" + address.getAddress().getHostAddress() + ":" + address.getPort() + path);
    long end = System.nanoTime() + timeout.toNanos();
    Duration attempt = firstAttempt;
    IOException last = null;
    while (true) {
      Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
      HttpRequest request =
          HttpRequest.newBuilder(uri)
              .timeout(attempt.compareTo(left) < 0 ? attempt : left)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofByteArray(body.get()))
              .build();
      try {
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() / 100 == 2) {
          return;
        }
        throw new RametException(
            ErrorCode.GUEST_UNREACHABLE,
            "the guest's agent answered "
                + path
                + " with "
                + answer.statusCode()
                + ": "
                + answer.body());
      } catch (IOException e) {
        last = e;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for the guest", e);
      }
      if (!alive.getAsBoolean() || System.nanoTime() >= end) {
        throw new RametException(
            ErrorCode.GUEST_UNREACHABLE,
            "the guest's agent did not answer within " + timeout.toSeconds() + " s",
            "look at the guest's console log; a template without an agent is imported with --cold",
            last);
      }
      pauseBriefly();
      attempt =
          attempt.multipliedBy(2).compareTo(LONGEST_ATTEMPT) < 0
              ? attempt.multipliedBy(2)
              : LONGEST_ATTEMPT;
    }
  }

  private static void pauseBriefly() {
    try {
      Thread.sleep(RETRY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for the guest", e);
    }
  }
}
