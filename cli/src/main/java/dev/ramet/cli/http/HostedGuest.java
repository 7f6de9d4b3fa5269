// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import dev.ramet.agent.Answer;
import dev.ramet.agent.Call;
import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.agent.HostRoute;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/** The way to the agent of one sandbox through the host. Thread-safe. */
public final class HostedGuest extends HostRoute {
  private static final int COPY_BUFFER = 64 << 10;

  private final Client client;
  private final String sandbox;

  private HostedGuest(Client client, String sandbox) {
    super(sandbox, null);
    this.client = client;
    this.sandbox = sandbox;
  }

  /**
   * Returns a client for a sandbox's agent.
   *
   * @param client the host
   * @param sandbox the sandbox's id
   * @param user the user who runs programs and owns files, or null for the guest's default
   */
  public static Guest of(Client client, String sandbox, @Nullable String user) {
    return new Guest(new HostedGuest(client, sandbox), user);
  }

  @Override
  protected byte[] exchange(Call call) {
    try (InputStream in = stream(call).stream()) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw client.connectionFailed(e);
    }
  }

  /** Sends a call; an unreadable content is an {@link UncheckedIOException}. */
  @Override
  protected Answer stream(Call call) {
    HttpURLConnection connection = client.open(call.method(), call.path(), call.headers());
    if (call.silence() != null) {
      connection.setReadTimeout(Math.toIntExact(call.silence().toMillis()));
    }
    Content content = call.content();
    try {
      if (content != null) {
        send(connection, content);
      }
      InputStream body = client.readResponse(connection);
      return new Answer(
          call.silence() == null ? body : disconnecting(body, connection),
          connection.getContentLengthLong());
    } catch (IOException e) {
      throw client.connectionFailed(e);
    }
  }

  private static void send(HttpURLConnection connection, Content content) throws IOException {
    connection.setDoOutput(true);
    if (!content.repeatable()) {
      if (content.length() >= 0) {
        connection.setFixedLengthStreamingMode(content.length());
      } else {
        connection.setChunkedStreamingMode(COPY_BUFFER);
      }
    }
    InputStream from = content.source().get();
    byte[] buffer = new byte[COPY_BUFFER];
    OutputStream out = connection.getOutputStream();
    for (int n = read(from, buffer); n >= 0; n = read(from, buffer)) {
      try {
        out.write(buffer, 0, n);
      } catch (IOException e) {
        return; // the host may have refused the request already: its response says why
      }
    }
    out.close();
  }

  private static int read(InputStream from, byte[] buffer) {
    try {
      return from.read(buffer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a stream that does not wait for its rest when it is closed. */
  private static InputStream disconnecting(InputStream body, HttpURLConnection connection) {
    return new FilterInputStream(body) {
      @Override
      public void close() {
        connection.disconnect();
      }
    };
  }

  @Override
  protected @Nullable String fetchAccessToken() {
    byte[] body = client.get("/sandboxes/" + Guest.encode(sandbox)).body();
    return Json.tree(body).path("envdAccessToken").asText("");
  }

  @Override
  public RametException incompleteResponse(IOException e) {
    return client.connectionFailed(e);
  }

  @Override
  public RametException streamEnded(@Nullable IOException e) {
    return e != null
        ? client.connectionFailed(e)
        : new RametException(
            ErrorCode.GUEST_UNREACHABLE,
            "the sandbox ended before the command did",
            "check its state: ramet sandbox show",
            null);
  }
}
