// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import dev.ramet.agent.Command;
import dev.ramet.agent.Guest;
import dev.ramet.agent.ProcessEvents;
import dev.ramet.agent.ProcessEvents.Event;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A {@code tar} or a tool like it that runs in a guest, as the user whose files are copied. */
final class GuestTar implements AutoCloseable {
  private static final int MAX_ERRORS = 4 << 10;

  private final Guest guest;
  private final ProcessEvents events;
  private final long pid;
  private final String program;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private int status = 1;

  private GuestTar(Guest guest, Command command) {
    this.guest = guest;
    this.program = command.program();
    this.events = guest.events(command);
    Event start = events.next();
    if (start == null || !start.isStart()) {
      events.close();
      throw new RametException(
          ErrorCode.INTERNAL, "the agent did not say that " + program + " started");
    }
    this.pid = start.pid();
  }

  /** Starts it. */
  static GuestTar start(Guest guest, boolean input, String... arguments) {
    return new GuestTar(
        guest, new Command("tar", List.of(arguments), Map.of(), "/", null, input, null));
  }

  /** Starts another program, which gets no input. */
  static GuestTar startProgram(Guest guest, String program, List<String> arguments) {
    return new GuestTar(guest, new Command(program, arguments, Map.of(), "/", null, false, null));
  }

  /** Returns its standard output, up to its end. */
  InputStream output() {
    return new InputStream() {
      private byte[] piece = {};
      private int at;

      @Override
      public int read() {
        return more() ? piece[at++] & 0xff : -1;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) {
        if (length == 0) {
          return 0;
        }
        if (!more()) {
          return -1;
        }
        int count = Math.min(length, piece.length - at);
        System.arraycopy(piece, at, bytes, offset, count);
        at += count;
        return count;
      }

      private boolean more() {
        while (at == piece.length) {
          Event event = events.next();
          if (event == null) {
            return false;
          }
          note(event);
          piece = event.isData() ? event.out() : new byte[0];
          at = 0;
        }
        return true;
      }
    };
  }

  private void note(Event event) {
    if (event.isEnd()) {
      status = event.status();
    } else if (event.isData() && errors.size() < MAX_ERRORS) {
      errors.writeBytes(event.err());
    }
  }

  /** Returns its standard input; closing it ends the archive. */
  OutputStream input() {
    return new OutputStream() {
      @Override
      public void write(int one) {
        guest.input(pid, new byte[] {(byte) one});
      }

      @Override
      public void write(byte[] bytes, int offset, int length) {
        guest.input(pid, java.util.Arrays.copyOfRange(bytes, offset, offset + length));
      }

      @Override
      public void close() {
        guest.closeInput(pid);
      }
    };
  }

  /**
   * Waits for its end.
   *
   * @throws RametException INTERNAL with its errors if it failed
   */
  void finish() {
    for (Event event = events.next(); event != null; event = events.next()) {
      note(event);
    }
    if (status != 0) {
      throw new RametException(
          ErrorCode.INTERNAL,
          program
              + " in the sandbox ended with status "
              + status
              + ": "
              + errors.toString(StandardCharsets.UTF_8).strip());
    }
  }

  /** Ends it if it still runs. */
  @Override
  public void close() {
    events.close();
    try {
      guest.signal(pid, "SIGKILL");
    } catch (RametException e) {
      // It has ended.
    }
  }
}
