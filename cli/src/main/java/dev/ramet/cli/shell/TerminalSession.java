// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.agent.Command;
import dev.ramet.agent.Guest;
import dev.ramet.agent.ProcessEvents;
import dev.ramet.agent.ProcessEvents.Event;
import dev.ramet.agent.TerminalSize;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.tty.AtEnd;
import dev.ramet.cli.tty.LocalTerminal;
import dev.ramet.cli.tty.Signals;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows a program's terminal on this one until the program ends or the user detaches. When the
 * connection breaks, for example because the sandbox is rolled back, it looks for the program in
 * the restored machine. Used by one thread; keys and signals arrive in others.
 */
final class TerminalSession {
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long STEP_NANOS = 250_000_000L;
  private static final Set<ErrorCode> LOST =
      Set.of(ErrorCode.GUEST_UNREACHABLE, ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED);

  private final Context context;
  private final TerminalTarget target;
  private final DetachKeys keys;

  /** The program's tag, by which it is found after a rollback. */
  private final String tag = "terminal-" + UUID.randomUUID();

  private final Object change = new Object();
  private @Nullable Guest guest;
  private @Nullable ProcessEvents events;
  private long pid;
  private boolean left;

  TerminalSession(Context context, TerminalTarget target, DetachKeys keys) {
    this.context = context;
    this.target = target;
    this.keys = keys;
  }

  /** Returns the environment of a program on this terminal. */
  static Map<String, String> environment(Context context, Map<String, String> more) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("TERM", Objects.requireNonNullElse(context.environment("TERM"), "xterm"));
    environment.putAll(more);
    return environment;
  }

  /**
   * Runs the program.
   *
   * @return its exit status, or 0 if the user detached
   */
  int run(Program program) throws IOException {
    Long machine = target.machine();
    connect(program, target.guest());
    Integer status;
    try (AtEnd closing = new AtEnd(this::hangUp);
        LocalTerminal mode = program.typed() ? LocalTerminal.raw() : null;
        Signals resizes = new Signals("WINCH", this::resize)) {
      if (mode != null) {
        TypedKeys.forward(context.in(), keys, this);
      }
      status = follow(program, machine);
    } catch (RametException e) {
      context.err().println(); // the program may have left the cursor within a line
      throw e;
    }
    if (status == null) {
      context.err().println();
      context
          .err()
          .printf(
              "Detached; process %d continues. Attach again: ramet sandbox shell %s --attach %d%n",
              pid, target.id(), pid);
      return 0;
    }
    return status;
  }

  /** Shows output until the end; returns null when the user detached. */
  private @Nullable Integer follow(Program program, @Nullable Long first) throws IOException {
    Long machine = first;
    while (true) {
      try {
        return show();
      } catch (RametException lost) {
        synchronized (change) {
          if (left) {
            return null;
          }
        }
        if (!LOST.contains(lost.code())) {
          throw lost;
        }
        machine = reconnect(program, machine);
      }
    }
  }

  private int show() throws IOException {
    ProcessEvents from;
    synchronized (change) {
      from = Objects.requireNonNull(events);
    }
    int status = 1;
    for (Event event = from.next(); event != null; event = from.next()) {
      if (event.isEnd()) {
        status = event.status();
      } else if (event.isData()) {
        context.bytes().write(event.terminal());
        context.bytes().flush();
      }
    }
    return status;
  }

  /** Waits for the restored machine; returns it. */
  private @Nullable Long reconnect(Program program, @Nullable Long before) {
    synchronized (change) {
      guest = null;
    }
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        Long now = target.machine();
        boolean same = attach(program, target.guest());
        boolean restored = !Objects.equals(before, now);
        if (!same) {
          say("the sandbox was restored to an instant before this shell: a new shell");
        } else {
          say(
              (restored ? "the sandbox was restored" : "the connection broke")
                  + ": attached again");
        }
        return now;
      } catch (RametException e) {
        if (!LOST.contains(e.code()) || System.nanoTime() > end) {
          throw e;
        }
      }
      pauseUnlessLeft();
    }
  }

  private void pauseUnlessLeft() {
    synchronized (change) {
      long end = System.nanoTime() + STEP_NANOS;
      try {
        for (long rest = STEP_NANOS; !left && rest > 0; rest = end - System.nanoTime()) {
          TimeUnit.NANOSECONDS.timedWait(change, rest);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (left) {
        throw new RametException(ErrorCode.CANCELLED, "left while the sandbox was not reachable");
      }
    }
  }

  /** Starts the program, or attaches to the one that runs already. */
  private void connect(Program program, Guest to) {
    Command command = program.command();
    Long running = program.pid();
    begin(
        to,
        command != null
            ? to.terminal(command, size(program), tag)
            : to.attach(Objects.requireNonNull(running)));
    if (command == null) {
      resize();
    }
  }

  /** Returns whether the program was found; otherwise it was started again. */
  private boolean attach(Program program, Guest to) {
    Long running = program.pid();
    try {
      begin(to, running == null ? to.attach(tag) : to.attach(running));
      resize();
      return true;
    } catch (RametException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      if (!program.reopened()) {
        throw new RametException(
            ErrorCode.CONFLICT,
            "sandbox " + target.id() + " was restored to an instant before the program began",
            "start it again",
            e);
      }
    }
    connect(program, to);
    return false;
  }

  private void begin(Guest to, ProcessEvents from) {
    Event start = from.next();
    if (start == null || !start.isStart()) {
      from.close();
      throw new RametException(ErrorCode.INTERNAL, "the agent did not say that it started");
    }
    synchronized (change) {
      guest = to;
      events = from;
      pid = start.pid();
    }
  }

  private static TerminalSize size(Program program) {
    return program.typed() || LocalTerminal.isInput() ? LocalTerminal.size() : TerminalSize.USUAL;
  }

  private void say(String text) {
    context.err().print("\r\n[ramet: " + text + "]\r\n");
    context.err().flush();
  }

  /** A call that concerns the program. */
  private interface ProgramCall {
    void on(Guest to, long process);
  }

  /** Calls the agent; a program that cannot be reached now is reported by its output's reader. */
  private void tell(ProgramCall call) {
    Guest to;
    long process;
    synchronized (change) {
      to = guest;
      process = pid;
    }
    if (to != null) {
      try {
        call.on(to, process);
      } catch (RametException e) {
        // It has ended, or the connection broke.
      }
    }
  }

  /**
   * Passes keys to the program; drops them while it is not reachable, except that Ctrl-C leaves.
   */
  void type(byte[] typed) {
    boolean reachable;
    synchronized (change) {
      reachable = guest != null;
    }
    if (reachable) {
      tell((to, process) -> to.type(process, typed));
    } else if (new String(typed, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf(3) >= 0) {
      leave();
    }
  }

  /** Tells the program that its terminal has another size now. */
  private void resize() {
    if (LocalTerminal.isInput()) {
      TerminalSize now = LocalTerminal.size();
      tell((to, process) -> to.resize(process, now));
    }
  }

  /** Ends the program as a terminal does that is closed. */
  void hangUp() {
    tell((to, process) -> to.signal(process, "SIGHUP"));
  }

  /** Disconnects and lets the program continue. */
  void leave() {
    ProcessEvents open;
    synchronized (change) {
      left = true;
      open = events;
      change.notifyAll();
    }
    if (open != null) {
      open.close();
    }
  }
}
