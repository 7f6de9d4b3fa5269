// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A program that runs in a guest. One thread may read its output; other threads may send input and
 * signals. Closing only disconnects: the program continues to run.
 */
public final class GuestProcess implements AutoCloseable {
  /**
   * A piece of output.
   *
   * @param error whether it came from standard error
   * @param bytes the bytes; pieces may be split anywhere
   */
  @SuppressWarnings("ArrayRecordComponent") // bytes are passed on, never compared
  public record Output(boolean error, byte[] bytes) {}

  private final Guest guest;
  private final ProcessEvents events;
  private final long pid;
  private int status = -1;

  GuestProcess(Guest guest, ProcessEvents events) {
    this.guest = guest;
    this.events = events;
    ProcessEvents.Event first = events.next();
    if (first == null || !first.isStart()) {
      close();
      throw new RametException(ErrorCode.INTERNAL, "the agent did not say that it started");
    }
    this.pid = first.pid();
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
    for (ProcessEvents.Event e = events.next(); e != null; e = events.next()) {
      if (e.isEnd()) {
        status = e.status();
      } else if (e.out().length > 0) {
        return new Output(false, e.out());
      } else if (e.err().length > 0) {
        return new Output(true, e.err());
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
        status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
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
    events.close();
  }
}
