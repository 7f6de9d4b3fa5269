// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.Metrics;
import dev.ramet.engine.VolumeMount;
import dev.ramet.engine.guest.PatientClient.Question;
import dev.ramet.engine.state.HostSecret;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Client of the guest's agent: what it can be asked for. Thread-safe. */
public final class Agent {
  private static final int ENTROPY_BYTES = 64;
  private static final int MOST_TOLD = 4000;
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;
  private static final int UNIMPLEMENTED = 501;
  private static final int FAILED_DEPENDENCY = 424;
  // User networking accepts a connection before a booting guest listens, and lets it hang.
  private static final Duration FIRST_ATTEMPT_BOOTING = Duration.ofMillis(250);
  private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(2);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final PatientClient client = new PatientClient();

  /** A client. */
  public Agent() {}

  /**
   * What a machine is started for, as far as its agent is concerned.
   *
   * @param environment default environment of processes; empty leaves what the guest has
   * @param token what the agent is to ask for: empty for nothing, null for what it asks for already
   * @param volumes which volumes may stay mounted of those that it finds
   * @param shown the secret by which it knows its host; null when it knows none
   * @param next the secret by which it is to know its host; null leaves that
   */
  public record Start(
      Map<String, String> environment,
      @Nullable String token,
      List<VolumeMount> volumes,
      @Nullable HostSecret shown,
      @Nullable HostSecret next) {
    /** Neither token nor secrets. */
    @Override
    public String toString() {
      return "Start[...]";
    }
  }

  /**
   * Sets the guest's clock and mixes fresh randomness into its kernel, so that no two machines that
   * were one share either. Waits until the agent answers.
   *
   * <p>May be repeated after its answer was lost: an agent that has replaced its secret lets in who
   * names the new one.
   *
   * @param booting whether the agent is yet to be started, rather than there already
   * @param alive false as soon as waiting is pointless because the machine has ended
   * @return whether the agent demands the secret from now on
   * @throws RametException {@code GUEST_UNREACHABLE} when it did not answer in time
   */
  public boolean initialise(
      InetSocketAddress address,
      Start start,
      boolean booting,
      BooleanSupplier alive,
      Duration timeout) {
    // The same for every attempt: the agent drops connections of an earlier generation only.
    String generation = Long.toHexString(RANDOM.nextLong());
    Duration firstAttempt = booting ? FIRST_ATTEMPT_BOOTING : FIRST_ATTEMPT;
    Question question =
        new Question(
            "POST",
            "/init",
            () -> initialisation(start, generation),
            new AgentAccess(null, start.shown()));
    HttpResponse<String> answer = client.answer(address, question, firstAttempt, alive, timeout);
    checked(question, answer);
    return answer.headers().firstValue(AgentAccess.SECRET_HEADER).isPresent();
  }

  /**
   * Has programs in the guest trust an authority of this host's, in place of the one before.
   *
   * @param authority its certificate in text form
   * @param access what the agent asks for
   * @throws RametException {@code UNSUPPORTED} when the agent is one that cannot; {@code
   *     GUEST_UNREACHABLE} when it did not
   */
  public void trust(
      InetSocketAddress address, String authority, AgentAccess access, Duration timeout) {
    byte[] body = JsonFile.bytes(Map.of("authority", authority));
    Question question = new Question("POST", "/trust", () -> body, access);
    HttpResponse<String> answer = client.answer(address, question, timeout, () -> true, timeout);
    if (answer.statusCode() == NOT_FOUND || answer.statusCode() == UNIMPLEMENTED) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "network.rules: the guest's agent is of a version that cannot have programs trust this"
              + " host",
          "build the template anew, and use no snapshot from before",
          null);
    }
    checked(question, answer);
  }

  /**
   * Has the guest's kernel write out file data, and the agent put away what a memory image need not
   * hold.
   *
   * @param access what the agent asks for
   */
  public void settle(InetSocketAddress address, AgentAccess access, Duration timeout) {
    Question question = new Question("POST", "/settle", () -> new byte[0], access);
    ask(address, question, timeout, () -> true, timeout);
  }

  /**
   * Waits for a while until the command that the guest's image starts is ready.
   *
   * @param access what the agent asks for
   * @param timeout longer than the agent's own while
   * @return whether it is
   * @throws RametException {@code INVALID_ARGUMENT} when the command has failed; {@code
   *     GUEST_UNREACHABLE} when the agent does not answer
   */
  public boolean ready(InetSocketAddress address, AgentAccess access, Duration timeout) {
    Question question = new Question("POST", "/ready", () -> new byte[0], access);
    HttpResponse<String> answer = client.answer(address, question, timeout, () -> true, timeout);
    if (answer.statusCode() == FAILED_DEPENDENCY) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          message(answer.body()),
          "give a command that stays, as start, or none, as noStart",
          null);
    }
    checked(question, answer);
    return answer.statusCode() != ACCEPTED;
  }

  private static String message(String body) {
    try {
      String told = JsonFile.tree(body).path("message").asText();
      // Of a guest that anybody may have made: no terminal is to obey it.
      return told.substring(0, Math.min(told.length(), MOST_TOLD))
          .replaceAll("[\\p{Cntrl}&&[^\n]]", "?");
    } catch (IOException e) {
      return "what the image starts failed";
    }
  }

  /**
   * Writes out the guest's files and keeps everybody from changing them until {@link #thaw}, or
   * until the guest has waited {@code limit}.
   *
   * @param access what the agent asks for
   * @throws RametException {@code GUEST_UNREACHABLE} when it cannot; nothing is frozen then
   */
  public void freeze(
      InetSocketAddress address, AgentAccess access, Duration limit, Duration timeout) {
    String path = "/freeze?seconds=" + limit.toSeconds();
    ask(
        address,
        new Question("POST", path, () -> new byte[0], access),
        timeout,
        () -> true,
        timeout);
  }

  /**
   * Lets the guest's files be changed again.
   *
   * @throws RametException {@code GUEST_UNREACHABLE} when it does not answer, or says that they
   *     were not frozen any more
   */
  public void thaw(InetSocketAddress address, AgentAccess access, Duration timeout) {
    Question question = new Question("POST", "/thaw", () -> new byte[0], access);
    ask(address, question, timeout, () -> true, timeout);
  }

  /**
   * Asks for the guest's load.
   *
   * @param access what the agent asks for
   */
  public Metrics metrics(InetSocketAddress address, AgentAccess access, Duration timeout) {
    Question question = new Question("GET", "/metrics", () -> new byte[0], access);
    String answer = ask(address, question, timeout, () -> true, timeout);
    try {
      JsonNode load = JsonFile.tree(answer);
      return new Metrics(
          Instant.now(),
          load.path("cpu_count").asInt(),
          load.path("cpu_used_pct").asDouble(),
          load.path("mem_total").asLong(),
          load.path("mem_used").asLong(),
          load.path("mem_cache").asLong(),
          load.path("disk_total").asLong(),
          load.path("disk_used").asLong());
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.GUEST_UNREACHABLE, "the guest's agent told its load in no known way", e);
    }
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
    HostSecret next = start.next();
    if (next != null) {
      body.put("hostSecret", next.value());
    }
    body.put(
        "volumes",
        start.volumes().stream()
            .map(v -> Map.of("id", String.valueOf(v.volumeId()), "path", v.path()))
            .toList());
    body.put("generation", generation);
    // Last, so that it is as fresh as can be.
    body.put("timestamp", Instant.now().toString());
    return JsonFile.bytes(body);
  }

  private String ask(
      InetSocketAddress address,
      Question question,
      Duration firstAttempt,
      BooleanSupplier alive,
      Duration timeout) {
    return checked(question, client.answer(address, question, firstAttempt, alive, timeout));
  }

  private static String checked(Question question, HttpResponse<String> answer) {
    if (answer.statusCode() / 100 == 2) {
      return answer.body();
    }
    throw new RametException(
        ErrorCode.GUEST_UNREACHABLE,
        "the guest's agent answered "
            + question.path()
            + " with "
            + answer.statusCode()
            + ": "
            + answer.body());
  }
}
