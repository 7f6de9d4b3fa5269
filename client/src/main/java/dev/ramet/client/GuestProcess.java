// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program that runs in a sandbox. One thread may read its output; other threads may send input
 * and signals. Closing only disconnects: the program continues to run.
 */
public final class GuestProcess implements AutoCloseable {
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

  /**
   * A piece of output.
   *
   * @param error whether it came from standard error
   * @param bytes the bytes; pieces may be split anywhere
   */
  @SuppressWarnings("ArrayRecordComponent") // bytes are passed on, never compared
  public record Output(boolean error, byte[] bytes) {}

  private final Guest guest;
  private final InputStream stream;
  private final DataInputStream in;
  private final Silence silence;
  private final long pid;
  private @Nullable Integer status;

  GuestProcess(Guest guest, InputStream stream) {
    this.guest = guest;
    this.stream = stream;
    this.in = new DataInputStream(new BufferedInputStream(stream, 64 << 10));
    this.silence = new Silence(stream, 4L * Guest.KEEPALIVE_SECONDS);
    JsonNode first = event();
    if (first == null || !first.has("start")) {
      close();
      throw new RametException(ErrorCode.INTERNAL, "the agent did not say that it started");
    }
    this.pid = first.path("start").path("pid").asLong();
  }

  /** Returns its process id in the guest. */
  public long pid() {
    return pid;
  }

  /**
   * Waits for output.
   *
   * @return the next output, or null when the program ended
   * @throws RametException DEADLINE_EXCEEDED if its timeout expired, GUEST_UNREACHABLE if the
   *     sandbox disappeared
   */
  public @Nullable Output next() {
    for (JsonNode event = event(); event != null; event = event()) {
      JsonNode data = event.path("data");
      for (String name : new String[] {"stdout", "stderr"}) {
        String text = data.path(name).asText("");
        if (!text.isEmpty()) {
          return new Output(name.equals("stderr"), Base64.getDecoder().decode(text));
        }
      }
    }
    return null;
  }

  /**
   * Waits for the end and returns the output that was not read yet; fails as {@link #next} does.
   */
  public Result result() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    for (Output some = next(); some != null; some = next()) {
      (some.error() ? err : out).writeBytes(some.bytes());
    }
    return new Result(
        status == null ? -1 : status,
        out.toString(StandardCharsets.UTF_8),
        err.toString(StandardCharsets.UTF_8));
  }

  /** Sends bytes to its standard input, which must be open, see {@link Command#withInput}. */
  public void write(byte[] bytes) {
    guest.input(pid, bytes);
  }

  /** Closes its standard input. */
  public void closeInput() {
    guest.closeInput(pid);
  }

  /**
   * Sends a signal.
   *
   * @param name {@code SIGTERM} or {@code SIGKILL}
   * @throws RametException INVALID_ARGUMENT for a signal that the agent does not know
   */
  public void signal(String name) {
    guest.signal(pid, name);
  }

  /** Disconnects from the program, which continues to run. Idempotent. */
  @Override
  public void close() {
    silence.end();
    try {
      stream.close();
    } catch (IOException e) {
      // The connection is given up anyway.
    }
  }

  private @Nullable JsonNode event() {
    try {
      while (true) {
        Frames.Frame frame = Frames.read(in);
        silence.broken();
        if (frame == null || (frame.flags() & Frames.END) != 0) {
          end(frame);
          return null;
        }
        JsonNode event = Json.tree(frame.payload()).path("event");
        if (event.has("end")) {
          status = exitStatus(event.path("end"));
        } else if (!event.has("keepalive")) {
          return event;
        }
      }
    } catch (IOException e) {
      throw guest.gone(e);
    }
  }

  private void end(Frames.@Nullable Frame last) {
    silence.end();
    if (last != null) {
      JsonNode error = Json.tree(last.payload()).path("error");
      if (error.isObject()) {
        throw Failures.of(500, error);
      }
    }
    if (status == null) {
      throw guest.gone(null);
    }
  }

  private static int exitStatus(JsonNode end) {
    int code = end.path("exitCode").asInt(0);
    String text = end.path("status").asText("");
    if (code >= 0 || !text.startsWith(SIGNALLED)) {
      return code & 0xff;
    }
    String signal = text.substring(SIGNALLED.length()).replace(" (core dumped)", "");
    return 128 + SIGNALS.getOrDefault(signal, 127);
  }
}
