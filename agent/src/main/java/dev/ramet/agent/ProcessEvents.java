// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.wire.Frames;
import dev.ramet.agent.wire.Json;
import dev.ramet.errors.RametException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events of a program that runs in a guest. To be read by one thread. Closing only disconnects:
 * the program continues to run.
 */
public final class ProcessEvents implements AutoCloseable {
  /** The names of signals used by the agent, a Go program. */
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

  private static final String SIGNALLED = "signal: ";

  private final Route route;
  private final InputStream stream;
  private final DataInputStream in;
  private boolean ended;
  private boolean over;

  ProcessEvents(Route route, InputStream stream) {
    this.route = route;
    this.stream = stream;
    this.in = new DataInputStream(new BufferedInputStream(stream, 64 << 10));
  }

  /** An event: the start of the program, output, its end, or a keepalive. Immutable. */
  public static final class Event {
    private final JsonNode message;

    private Event(JsonNode message) {
      this.message = message;
    }

    private JsonNode part(String name) {
      return message.path("event").path(name);
    }

    /** Returns whether the program has started. */
    public boolean isStart() {
      return part("start").isObject();
    }

    /** Returns the process id in the guest, if this is the start. */
    public long pid() {
      return part("start").path("pid").asLong();
    }

    /** Returns whether it is a piece of output. */
    public boolean isData() {
      return part("data").isObject();
    }

    /** Returns a piece of standard output; empty if there is none. */
    public byte[] out() {
      return data("stdout");
    }

    /** Returns a piece of standard error; empty if there is none. */
    public byte[] err() {
      return data("stderr");
    }

    /** Returns a piece of a terminal's output; empty if there is none. */
    public byte[] terminal() {
      return data("pty");
    }

    private byte[] data(String name) {
      String text = part("data").path(name).asText("");
      return text.isEmpty() ? new byte[0] : Base64.getDecoder().decode(text);
    }

    /** Returns whether the program has ended. */
    public boolean isEnd() {
      return part("end").isObject();
    }

    /** Returns whether the program has ended by itself, with status 0, if this is the end. */
    public boolean succeeded() {
      JsonNode end = part("end");
      return end.path("exitCode").asInt(0) == 0 && end.path("exited").asBoolean(true);
    }

    /** Returns how the program ended in the agent's words, or "" if it does not say. */
    public String endReason() {
      return part("end").path("status").asText("");
    }

    /** Returns the exit status that a shell would report, if this is the end. */
    public int status() {
      int code = part("end").path("exitCode").asInt(0);
      String text = endReason();
      if (code >= 0 || !text.startsWith(SIGNALLED)) {
        return code & 0xff;
      }
      String signal = text.substring(SIGNALLED.length()).replace(" (core dumped)", "");
      return 128 + SIGNALS.getOrDefault(signal, 127);
    }

    /** Returns the event as JSON of one line. */
    public byte[] json() {
      return Json.bytes(message);
    }
  }

  /**
   * Waits for an event.
   *
   * @return the next event, or null after the end
   * @throws RametException the agent's error, for example DEADLINE_EXCEEDED if the program's
   *     timeout expired; or the route's error if the stream breaks off
   */
  public @Nullable Event next() {
    if (over) {
      return null;
    }
    Frames.Frame frame;
    try {
      frame = Frames.read(in);
    } catch (IOException e) {
      close();
      throw route.streamEnded(e);
    }
    if (frame != null && !frame.last()) {
      Event event = new Event(frame.content());
      ended |= event.isEnd();
      return event;
    }
    close();
    over = ended;
    if (frame != null && frame.content().has("error")) {
      JsonNode error = frame.content().path("error");
      throw withReason(
          route.agentError(
              error.path("code").asText(""),
              error.path("message").asText("the agent gave no reason")),
          error.path("reason").asText(""));
    }
    if (!ended) {
      throw route.streamEnded(null);
    }
    return null;
  }

  private static RametException withReason(RametException error, String reason) {
    return reason.startsWith("command_")
        ? new RametException(
            error.code(), "" + error.getMessage(), error.remedy(), new CommandRefused(reason))
        : error;
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      // The connection is given up anyway.
    }
  }
}
