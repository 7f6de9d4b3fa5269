// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The agent of one sandbox, called through the host. Thread-safe. */
public final class Guest {
  private static final int COPY_BUFFER = 64 << 10;

  /** How often, in seconds, the agent sends a keepalive on a silent stream. */
  private static final int KEEPALIVE_SECONDS = 30;

  private final Client client;
  private final String sandbox;
  private final Map<String, String> headers;
  private volatile @Nullable String token;

  /**
   * Creates a client for a sandbox's agent.
   *
   * @param client the host
   * @param sandbox the sandbox's id
   * @param user the user who runs programs and owns files, or null for the guest's default
   */
  public Guest(Client client, String sandbox, @Nullable String user) {
    this.client = client;
    this.sandbox = sandbox;
    Map<String, String> all = new HashMap<>();
    all.put("E2b-Sandbox-Id", sandbox);
    all.put("E2b-Sandbox-Port", "49983");
    if (user != null) {
      byte[] credentials = (user + ":").getBytes(StandardCharsets.UTF_8);
      all.put("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
    }
    this.headers = Map.copyOf(all);
  }

  /** Starts a program; its first event contains its process id. */
  public GuestProcess start(Command command) {
    return withToken(() -> startOnce(command));
  }

  private GuestProcess startOnce(Command command) {
    ObjectNode request = Json.mapper().createObjectNode();
    ObjectNode process = request.putObject("process").put("cmd", command.program());
    command.arguments().forEach(process.putArray("args")::add);
    command.environment().forEach(process.putObject("envs")::put);
    if (command.directory() != null) {
      process.put("cwd", command.directory());
    }
    request.put("stdin", command.input());
    HttpURLConnection connection = open("POST", "/process.Process/Start");
    connection.setRequestProperty("Content-Type", "application/connect+json");
    connection.setRequestProperty("Connect-Protocol-Version", "1");
    connection.setRequestProperty("Keepalive-Ping-Interval", "" + KEEPALIVE_SECONDS);
    if (command.timeoutMillis() > 0) {
      connection.setRequestProperty("Connect-Timeout-Ms", "" + command.timeoutMillis());
    }
    connection.setReadTimeout(4 * KEEPALIVE_SECONDS * 1000);
    try {
      Client.write(connection, Frames.single(Json.bytes(request)));
      return new GuestProcess(client, connection);
    } catch (IOException e) {
      throw client.broken(e);
    } catch (RametException e) {
      throw explained(e);
    }
  }

  /**
   * Runs a program to its end and returns its standard output.
   *
   * @throws RametException GUEST_UNREACHABLE if it cannot be run, INTERNAL if it fails
   */
  public String run(Command command) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status = -1;
    try (GuestProcess process = start(command)) {
      for (JsonNode m = process.next(); m != null; m = process.next()) {
        JsonNode event = m.path("event");
        out.writeBytes(data(event, "stdout"));
        err.writeBytes(data(event, "stderr"));
        if (event.has("end")) {
          status = GuestProcess.exitStatus(event.path("end"));
        }
      }
    }
    if (status != 0) {
      throw new RametException(
          ErrorCode.INTERNAL,
          "%s in sandbox %s ended with status %d: %s"
              .formatted(
                  command.program(),
                  sandbox,
                  status,
                  err.toString(StandardCharsets.UTF_8).strip()));
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Returns the bytes of one stream in a data event; empty if there are none. */
  public static byte[] data(JsonNode event, String stream) {
    String text = event.path("data").path(stream).asText("");
    return text.isEmpty() ? new byte[0] : Base64.getDecoder().decode(text);
  }

  /** Sends bytes to a program's standard input. */
  public void input(long pid, byte[] buffer, int length) {
    ObjectNode request = selected(pid);
    request.putObject("input").put("stdin", Arrays.copyOf(buffer, length));
    unary("SendInput", request);
  }

  /** Closes a program's standard input. */
  public void closeInput(long pid) {
    unary("CloseStdin", selected(pid));
  }

  /**
   * Sends a signal.
   *
   * @param signal its name, for example {@code SIGINT}
   */
  public void signal(long pid, String signal) {
    unary("SendSignal", selected(pid).put("signal", "SIGNAL_" + signal));
  }

  private static ObjectNode selected(long pid) {
    ObjectNode request = Json.mapper().createObjectNode();
    request.putObject("process").put("pid", pid);
    return request;
  }

  private void unary(String method, ObjectNode request) {
    HttpURLConnection connection = open("POST", "/process.Process/" + method);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setRequestProperty("Connect-Protocol-Version", "1");
    try {
      Client.write(connection, Json.bytes(request));
      try (InputStream in = Client.answer(connection)) {
        in.readAllBytes();
      }
    } catch (IOException e) {
      throw client.broken(e);
    }
  }

  /**
   * Copies a file from the guest.
   *
   * @return its size in bytes
   * @throws IOException if {@code to} fails
   */
  public long read(String path, OutputStream to) throws IOException {
    HttpURLConnection[] used = new HttpURLConnection[1];
    Supplier<InputStream> first =
        () -> {
          used[0] = open("GET", "/files?path=" + Client.encode(path));
          return answer(used[0]);
        };
    try (InputStream in = withToken(first)) {
      HttpURLConnection connection = used[0];
      byte[] buffer = new byte[COPY_BUFFER];
      long total = 0;
      for (int n = next(in, buffer); n >= 0; n = next(in, buffer)) {
        to.write(buffer, 0, n);
        total += n;
      }
      long announced = connection.getContentLengthLong();
      if (announced >= 0 && announced != total) { // the JDK's client does not detect this
        throw new RametException(
            ErrorCode.UNAVAILABLE,
            "%s:%s broke off after %d of %d bytes".formatted(sandbox, path, total, announced));
      }
      return total;
    }
  }

  private int next(InputStream in, byte[] buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      throw client.broken(e);
    }
  }

  /**
   * Copies a file into the guest and creates missing directories.
   *
   * @param length size in bytes, or -1 when unknown
   * @return the agent's response
   * @throws IOException if {@code from} fails
   */
  public byte[] write(String path, InputStream from, long length) throws IOException {
    if (token == null) {
      learnToken(); // in advance, because the content cannot be read again for a second attempt
    }
    HttpURLConnection connection = open("POST", "/files?path=" + Client.encode(path));
    connection.setRequestProperty("Content-Type", "application/octet-stream");
    connection.setDoOutput(true);
    if (length >= 0) {
      connection.setFixedLengthStreamingMode(length);
    } else {
      connection.setChunkedStreamingMode(COPY_BUFFER);
    }
    send(connection, from);
    try (InputStream in = answer(connection)) {
      return in.readAllBytes();
    }
  }

  private void send(HttpURLConnection connection, InputStream from) throws IOException {
    OutputStream out;
    try {
      out = connection.getOutputStream();
    } catch (IOException e) {
      throw client.broken(e);
    }
    byte[] buffer = new byte[COPY_BUFFER];
    for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
      try {
        out.write(buffer, 0, n);
      } catch (IOException e) {
        return; // the host may have refused the request already: its response says why
      }
    }
    try {
      out.close();
    } catch (IOException e) {
      throw client.broken(e);
    }
  }

  private InputStream answer(HttpURLConnection connection) {
    try {
      return Client.answer(connection);
    } catch (IOException e) {
      throw client.broken(e);
    } catch (RametException e) {
      throw explained(e);
    }
  }

  private HttpURLConnection open(String method, String path) {
    HttpURLConnection connection = client.open(method, path, headers);
    String known = token;
    if (known != null && !known.isEmpty()) {
      connection.setRequestProperty("X-Access-Token", known);
    }
    return connection;
  }

  /**
   * Runs a call with the access token if one is needed. Most sandboxes need none, so it is
   * requested from the host only after a refusal.
   */
  private <T> T withToken(Supplier<T> call) {
    try {
      return call.get();
    } catch (RametException e) {
      if (e.code() != ErrorCode.UNAUTHENTICATED || token != null) {
        throw e;
      }
      learnToken();
      return call.get();
    }
  }

  private void learnToken() {
    byte[] body = client.get("/sandboxes/" + Client.encode(sandbox)).body();
    token = Json.tree(body).path("envdAccessToken").asText("");
  }

  /**
   * Explains a failed call: a missing sandbox looks like one that does not respond, so this asks
   * the host.
   */
  private RametException explained(RametException e) {
    if (e.code() == ErrorCode.GUEST_UNREACHABLE) {
      try {
        client.get("/sandboxes/" + Client.encode(sandbox));
      } catch (RametException reason) {
        return reason;
      }
    }
    return e;
  }
}
