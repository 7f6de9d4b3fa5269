// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A running program of a guest, represented by its stream of events. To be read by one thread.
 * Closing only disconnects: the program continues to run.
 */
public final class GuestProcess implements AutoCloseable {
  /** The names of signals in Go, which the protocol's {@code status} uses. */
  private static final Map<String, Integer> SIGNALS =
      Map.of(
          "hangup", 1,
          "interrupt", 2,
          "quit", 3,
          "aborted", 6,
          "killed", 9,
          "segmentation fault", 11,
          "broken pipe", 13,
          "alarm clock", 14,
          "terminated", 15);

  private final Client client;
  private final HttpURLConnection connection;
  private final DataInputStream in;
  private boolean ended;

  GuestProcess(Client client, HttpURLConnection connection) throws IOException {
    this.client = client;
    this.connection = connection;
    this.in = new DataInputStream(new BufferedInputStream(Client.answer(connection), 64 << 10));
  }

  /**
   * Returns the next event in its wire form, {@code {"event":{…}}}, or null after the end.
   *
   * @throws RametException the agent's error, or UNAVAILABLE if the stream breaks off
   */
  public @Nullable JsonNode next() {
    try {
      Frames.Frame frame = Frames.read(in);
      if (frame == null) {
        if (ended) {
          return null;
        }
        throw cutOff();
      }
      JsonNode message = Json.tree(frame.payload());
      if ((frame.flags() & Frames.END) == 0) {
        ended |= message.path("event").has("end");
        return message;
      }
      if (message.has("error")) {
        throw Failures.of(500, message.path("error"));
      }
      if (!ended) {
        throw cutOff();
      }
      return null;
    } catch (IOException e) {
      throw client.broken(e);
    }
  }

  private static RametException cutOff() {
    return new RametException(
        ErrorCode.GUEST_UNREACHABLE,
        "the sandbox went away before the command ended",
        "see what became of it: ramet sandbox show",
        null);
  }

  /**
   * Returns the exit status that a shell would report.
   *
   * @param end the {@code end} event
   */
  public static int exitStatus(JsonNode end) {
    int code = end.path("exitCode").asInt(0);
    String status = end.path("status").asText("");
    if (code >= 0 || !status.startsWith("signal: ")) {
      return code & 0xff;
    }
    String signal = status.substring("signal: ".length()).replace(" (core dumped)", "");
    return 128 + SIGNALS.getOrDefault(signal, 127);
  }

  @Override
  public void close() {
    connection.disconnect();
  }
}
