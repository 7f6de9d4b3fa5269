// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The agent of one sandbox, called through the host. Thread-safe. */
final class Guest {
  /** How often the agent sends a keepalive on a silent stream. */
  static final int KEEPALIVE_SECONDS = 30;

  private static final String AGENT_PORT = "49983";

  private final Http http;
  private final String sandbox;
  private volatile @Nullable String token;

  /**
   * Creates a client for a sandbox's agent.
   *
   * @param token the access token it requires, empty for none, null if it is not known yet
   */
  Guest(Http http, String sandbox, @Nullable String token) {
    this.http = http;
    this.sandbox = sandbox;
    this.token = token;
  }

  GuestProcess start(Command command) {
    ObjectNode message = Json.MAPPER.createObjectNode();
    ObjectNode process = message.putObject("process").put("cmd", command.program());
    command.arguments().forEach(process.putArray("args")::add);
    command.environment().forEach(process.putObject("envs")::put);
    if (command.directory() != null) {
      process.put("cwd", command.directory());
    }
    message.put("stdin", command.input());
    HttpRequest.Builder request =
        request("POST", "/process.Process/Start", null)
            .header("Content-Type", "application/connect+json")
            .header("Connect-Protocol-Version", "1")
            .header("Keepalive-Ping-Interval", Integer.toString(KEEPALIVE_SECONDS))
            .POST(BodyPublishers.ofByteArray(Frames.single(Json.bytes(message))));
    if (command.timeout() != null) {
      request.header("Connect-Timeout-Ms", Long.toString(command.timeout().toMillis()));
    }
    if (command.user() != null) {
      byte[] credentials = (command.user() + ":").getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
    }
    return new GuestProcess(this, explained(request, http::stream));
  }

  void input(long pid, byte[] bytes) {
    ObjectNode message = selected(pid);
    message.putObject("input").put("stdin", bytes);
    call("SendInput", message);
  }

  void closeInput(long pid) {
    call("CloseStdin", selected(pid));
  }

  void signal(long pid, String name) {
    call("SendSignal", selected(pid).put("signal", "SIGNAL_" + name));
  }

  InputStream read(String path) {
    return explained(request("GET", "/files?path=" + Http.encode(path), null), http::stream);
  }

  void write(String path, HttpRequest.BodyPublisher content) {
    explained(
        request("POST", "/files?path=" + Http.encode(path), null)
            .header("Content-Type", "application/octet-stream")
            .POST(content),
        http::bytes);
  }

  private static ObjectNode selected(long pid) {
    ObjectNode message = Json.MAPPER.createObjectNode();
    message.putObject("process").put("pid", pid);
    return message;
  }

  private void call(String method, ObjectNode message) {
    explained(
        request("POST", "/process.Process/" + method, message)
            .header("Connect-Protocol-Version", "1"),
        http::bytes);
  }

  private HttpRequest.Builder request(String method, String path, @Nullable ObjectNode json) {
    HttpRequest.Builder request =
        http.request(method, path, json)
            .header("E2b-Sandbox-Id", sandbox)
            .header("E2b-Sandbox-Port", AGENT_PORT);
    String shown = token();
    return shown.isEmpty() ? request : request.header("X-Access-Token", shown);
  }

  /**
   * Returns the access token. Lists omit tokens, so it is requested from the host when first
   * needed.
   */
  private String token() {
    String known = token;
    if (known == null) {
      String told = info().envdAccessToken();
      known = told == null ? "" : told;
      token = known;
    }
    return known;
  }

  private SandboxInfo info() {
    return http.get("/sandboxes/" + Http.encode(sandbox), SandboxInfo.class);
  }

  /**
   * Runs a call. A missing sandbox looks like one that does not respond, so on failure this asks
   * the host which it is.
   */
  private <T> T explained(HttpRequest.Builder request, Function<HttpRequest.Builder, T> call) {
    try {
      return call.apply(request);
    } catch (RametException e) {
      if (e.code() == ErrorCode.GUEST_UNREACHABLE) {
        info();
      }
      throw e;
    }
  }

  /** Returns why a stream broke off. */
  RametException gone(@Nullable IOException e) {
    try {
      info();
    } catch (RametException reason) {
      return reason;
    }
    return new RametException(
        ErrorCode.GUEST_UNREACHABLE,
        "the sandbox " + sandbox + " went away before the program ended",
        "it may have been rolled back or paused: look at its state",
        e);
  }
}
