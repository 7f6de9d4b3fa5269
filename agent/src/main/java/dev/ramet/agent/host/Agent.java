// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import dev.ramet.agent.Call;
import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.agent.wire.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Client of the agent in a guest: initialization, freezing, readiness and metrics. Thread-safe. */
public final class Agent {
  private static final int ENTROPY_BYTES = 64;
  private static final byte[] NOTHING = new byte[0];
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;
  private static final int UNIMPLEMENTED = 501;
  private static final int FAILED_DEPENDENCY = 424;
  // User networking accepts a connection before a booting guest listens, and lets it hang.
  private static final Duration FIRST_ATTEMPT_BOOTING = Duration.ofMillis(250);

  /** How much of a file's end {@link #tail} returns at most. */
  public static final int TAIL_BYTES = BoundedBody.MAX_BYTES;

  private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(2);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final RetryingClient client = new RetryingClient();

  /** Creates a client. */
  public Agent() {}

  /**
   * Where a volume is mounted.
   *
   * @param volumeId id of the volume
   * @param path absolute path in the guest
   */
  public record MountPoint(String volumeId, String path) {}

  /**
   * The values that a newly started machine's agent receives.
   *
   * @param environment default environment of processes; empty keeps the guest's current one
   * @param token the token the agent shall require: empty for none, null to keep the current one
   * @param volumes the volumes that may stay mounted if the agent finds them mounted
   * @param shown the secret by which the agent recognizes its host now; null when it knows none
   * @param next the secret by which it shall recognize its host; null to keep the current one
   */
  public record Start(
      Map<String, String> environment,
      @Nullable String token,
      List<MountPoint> volumes,
      @Nullable String shown,
      @Nullable String next) {
    /** Hides the token and the secrets. */
    @Override
    public String toString() {
      return "Start[...]";
    }
  }

  /**
   * Sets the guest's clock and mixes fresh randomness into its kernel, so that clones of one
   * machine share neither. Waits until the agent answers.
   *
   * <p>May be repeated after its answer was lost: an agent that has already replaced its secret
   * accepts the new one.
   *
   * @param booting whether the agent still has to start
   * @param alive returns false as soon as waiting is pointless because the machine has ended
   * @return whether the agent requires the secret from now on
   * @throws RametException {@code GUEST_UNREACHABLE} when it did not answer in time
   */
  public boolean initialise(
      InetSocketAddress address,
      Start start,
      boolean booting,
      BooleanSupplier alive,
      Duration timeout) {
    // The same for every attempt: the agent drops only connections of an earlier generation.
    String generation = Long.toHexString(RANDOM.nextLong());
    Duration firstAttempt = booting ? FIRST_ATTEMPT_BOOTING : FIRST_ATTEMPT;
    AgentAccess access = new AgentAccess(null, start.shown());
    HttpResponse<byte[]> answer =
        client.send(
            address,
            () -> call("POST", "/init", initialisation(start, generation), access),
            firstAttempt,
            alive,
            timeout);
    requireSuccess("/init", answer);
    return answer.headers().firstValue(AgentAccess.SECRET_HEADER).isPresent();
  }

  /**
   * Makes programs in the guest trust this host's certificate authority, replacing the previous
   * one.
   *
   * @param authority its certificate in text form
   * @param access the credentials that the agent requires
   * @throws RametException {@code UNSUPPORTED} when the agent's version cannot do this; {@code
   *     GUEST_UNREACHABLE} when it failed
   */
  public void trust(
      InetSocketAddress address, String authority, AgentAccess access, Duration timeout) {
    byte[] body = Json.bytes(Map.of("authority", authority));
    HttpResponse<byte[]> answer = exchange(address, call("POST", "/trust", body, access), timeout);
    if (answer.statusCode() == NOT_FOUND || answer.statusCode() == UNIMPLEMENTED) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "network.rules: the guest's agent is too old to make programs trust this host",
          "build the template again, and use only snapshots taken after that",
          null);
    }
    requireSuccess("/trust", answer);
  }

  /**
   * Makes the guest's kernel write dirty file data to disk, and the agent free memory whose content
   * a memory image need not hold.
   *
   * @param access the credentials that the agent requires
   */
  public void prepareForCapture(InetSocketAddress address, AgentAccess access, Duration timeout) {
    request(address, call("POST", "/settle", NOTHING, access), timeout);
  }

  /**
   * Waits a limited time until the command that the guest's image starts is ready.
   *
   * @param access the credentials that the agent requires
   * @param timeout longer than the agent's own limit
   * @return whether the command is ready
   * @throws RametException {@code INVALID_ARGUMENT} when the command has failed; {@code
   *     GUEST_UNREACHABLE} when the agent does not answer
   */
  public boolean ready(InetSocketAddress address, AgentAccess access, Duration timeout) {
    HttpResponse<byte[]> answer =
        exchange(address, call("POST", "/ready", NOTHING, access), timeout);
    if (answer.statusCode() == FAILED_DEPENDENCY) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          message(answer.body()),
          "give a start command that keeps running, or set noStart",
          null);
    }
    requireSuccess("/ready", answer);
    return answer.statusCode() != ACCEPTED;
  }

  private static String message(byte[] body) {
    try {
      return AgentText.sanitize(Json.tree(body).path("message").asText());
    } catch (IOException e) {
      return "the image's start command failed";
    }
  }

  /**
   * Flushes the guest's file systems and blocks changes to them until {@link #thaw}, or until the
   * guest has waited {@code limit}.
   *
   * @param access the credentials that the agent requires
   * @throws RametException {@code GUEST_UNREACHABLE} when it cannot; nothing is frozen then
   */
  public void freeze(
      InetSocketAddress address, AgentAccess access, Duration limit, Duration timeout) {
    String path = "/freeze?seconds=" + limit.toSeconds();
    request(address, call("POST", path, NOTHING, access), timeout);
  }

  /**
   * Allows changes to the guest's file systems again.
   *
   * @throws RametException {@code GUEST_UNREACHABLE} when it does not answer, or reports that they
   *     were no longer frozen
   */
  public void thaw(InetSocketAddress address, AgentAccess access, Duration timeout) {
    request(address, call("POST", "/thaw", NOTHING, access), timeout);
  }

  /**
   * Returns the guest's load.
   *
   * @param access the credentials that the agent requires
   */
  public GuestLoad load(InetSocketAddress address, AgentAccess access, Duration timeout) {
    byte[] answer = request(address, call("GET", "/metrics", NOTHING, access), timeout);
    try {
      return GuestLoad.parse(answer);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.GUEST_UNREACHABLE,
          "the guest's agent reported its load in an unknown format",
          e);
    }
  }

  /**
   * Returns the end of a file, at most {@link #TAIL_BYTES}, or null if there is no such file.
   *
   * @param access the credentials that the agent requires
   */
  public @Nullable FileTail tail(
      InetSocketAddress address, String path, AgentAccess access, Duration timeout) {
    String route = "/files?username=root&path=" + Guest.encode(path);
    Call call =
        new Call("GET", route, access.headers(), null, null)
            .with(Map.of("Range", "bytes=-" + TAIL_BYTES));
    HttpResponse<byte[]> answer = exchange(address, call, timeout);
    if (answer.statusCode() == NOT_FOUND) {
      return null;
    }
    byte[] bytes = requireSuccess("/files", answer);
    return FileTail.of(bytes, answer.headers().firstValue("Content-Range").orElse(""));
  }

  private static byte[] initialisation(Start start, String generation) {
    byte[] entropy = new byte[ENTROPY_BYTES];
    RANDOM.nextBytes(entropy);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("entropy", Base64.getEncoder().encodeToString(entropy));
    if (!start.environment().isEmpty()) {
      body.put("envVars", start.environment());
    }
    String token = start.token();
    if (token != null) {
      body.put("accessToken", token);
    }
    String next = start.next();
    if (next != null) {
      body.put("hostSecret", next);
    }
    body.put(
        "volumes",
        start.volumes().stream().map(v -> Map.of("id", v.volumeId(), "path", v.path())).toList());
    body.put("generation", generation);
    // Set last, so that it is as accurate as possible.
    body.put("timestamp", Instant.now().toString());
    return Json.bytes(body);
  }

  private static Call call(String method, String path, byte[] json, AgentAccess access) {
    Call call = new Call(method, path, access.headers(), Content.of(json), null);
    return call.with(Map.of("Content-Type", "application/json"));
  }

  private HttpResponse<byte[]> exchange(InetSocketAddress address, Call call, Duration timeout) {
    return client.send(address, () -> call, timeout, () -> true, timeout);
  }

  private byte[] request(InetSocketAddress address, Call call, Duration timeout) {
    return requireSuccess(call.path(), exchange(address, call, timeout));
  }

  private static byte[] requireSuccess(String path, HttpResponse<byte[]> answer) {
    if (answer.statusCode() / 100 == 2) {
      return answer.body();
    }
    throw new RametException(
        ErrorCode.GUEST_UNREACHABLE,
        "the guest's agent answered "
            + path
            + " with "
            + answer.statusCode()
            + ": "
            + new String(answer.body(), StandardCharsets.UTF_8));
  }
}
