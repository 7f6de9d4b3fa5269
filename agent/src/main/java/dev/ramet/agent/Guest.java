// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.agent.wire.Frames;
import dev.ramet.agent.wire.Json;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Programs and files of one guest, through its agent. Thread-safe. */
public final class Guest {
  /** How often the agent sends a keepalive on a silent stream, unless the caller says otherwise. */
  private static final Duration KEEPALIVE = Duration.ofSeconds(30);

  /** A busy guest may be late with a keepalive. */
  private static final Duration MIN_SILENCE = Duration.ofMinutes(1);

  private final Route route;
  private final @Nullable String user;

  /**
   * Creates a client.
   *
   * @param route the way to the agent
   * @param user who runs programs and owns files, or null for the guest's default
   */
  public Guest(Route route, @Nullable String user) {
    this.route = route;
    this.user = user;
  }

  /** Encodes one path segment or one query value of a URL. */
  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Returns this guest with another user, or with the guest's default if null. */
  public Guest as(@Nullable String name) {
    return new Guest(route, name);
  }

  /** Starts a program whose output can be read while it runs. */
  public GuestProcess start(Command command) {
    return new GuestProcess(this, events(command));
  }

  /** Starts a program and returns its events; fails as {@link ProcessEvents#next} does. */
  public ProcessEvents events(Command command) {
    return events(command, KEEPALIVE);
  }

  /**
   * Starts a program and returns its events.
   *
   * @param keepalive how often there is an event at least; whole seconds
   */
  public ProcessEvents events(Command command, Duration keepalive) {
    ObjectNode message = start(command, Json.object());
    message.put("stdin", command.input());
    return stream("/process.Process/Start", message, command, keepalive);
  }

  /**
   * Starts a program on a terminal of its own and returns its events, whose output is {@link
   * ProcessEvents.Event#terminal}.
   *
   * @param tag a name by which {@link #attach(String)} finds the program
   */
  public ProcessEvents terminal(Command command, TerminalSize size, String tag) {
    ObjectNode message = start(command, sized(Json.object(), size));
    message.put("tag", tag);
    return stream("/process.Process/Start", message, command, KEEPALIVE);
  }

  /**
   * Returns the events of a program that runs already, from the output that nobody has received.
   * Reading them fails with NOT_FOUND if there is no such program.
   */
  public ProcessEvents attach(long pid) {
    return stream("/process.Process/Connect", selected(pid), null, KEEPALIVE);
  }

  /** Returns the events of the program that was started with a tag, like {@link #attach(long)}. */
  public ProcessEvents attach(String tag) {
    ObjectNode message = Json.object();
    message.putObject("process").put("tag", tag);
    return stream("/process.Process/Connect", message, null, KEEPALIVE);
  }

  private static ObjectNode start(Command command, ObjectNode message) {
    ObjectNode process = message.putObject("process").put("cmd", command.program());
    command.arguments().forEach(process.putArray("args")::add);
    command.environment().forEach(process.putObject("envs")::put);
    if (command.directory() != null) {
      process.put("cwd", command.directory());
    }
    return message;
  }

  private static ObjectNode sized(ObjectNode message, TerminalSize size) {
    ObjectNode sides = message.putObject("pty").putObject("size");
    sides.put("cols", size.columns()).put("rows", size.rows());
    return message;
  }

  /**
   * Opens a stream of events.
   *
   * @param command the program it starts, or null if it runs already
   */
  private ProcessEvents stream(
      String path, ObjectNode message, @Nullable Command command, Duration keepalive) {
    Map<String, String> headers = headers("application/connect+json");
    headers.put("Connect-Protocol-Version", "1");
    headers.put("Keepalive-Ping-Interval", Long.toString(keepalive.toSeconds()));
    if (command != null && command.timeout() != null) {
      headers.put("Connect-Timeout-Ms", Long.toString(command.timeout().toMillis()));
    }
    if (command != null && command.user() != null) {
      headers.put("Authorization", authorization(command.user()));
    }
    Duration four = keepalive.multipliedBy(4);
    Duration silence = four.compareTo(MIN_SILENCE) > 0 ? four : MIN_SILENCE;
    Content content = Content.of(Frames.single(Json.bytes(message)));
    Call call = new Call("POST", path, headers, content, silence);
    return new ProcessEvents(route, route.open(call).stream());
  }

  /** Sends bytes to a program's standard input. */
  public void input(long pid, byte[] bytes) {
    ObjectNode message = selected(pid);
    message.putObject("input").put("stdin", bytes);
    call("/process.Process/SendInput", Json.bytes(message));
  }

  /** Types bytes on a program's terminal. */
  public void type(long pid, byte[] bytes) {
    ObjectNode message = selected(pid);
    message.putObject("input").put("pty", bytes);
    call("/process.Process/SendInput", Json.bytes(message));
  }

  /** Changes the size of a program's terminal. */
  public void resize(long pid, TerminalSize size) {
    call("/process.Process/Update", Json.bytes(sized(selected(pid), size)));
  }

  /** Closes a program's standard input. */
  public void closeInput(long pid) {
    call("/process.Process/CloseStdin", Json.bytes(selected(pid)));
  }

  /**
   * Sends a signal.
   *
   * @param name for example {@code SIGINT}
   */
  public void signal(long pid, String name) {
    ObjectNode message = selected(pid).put("signal", "SIGNAL_" + name);
    call("/process.Process/SendSignal", Json.bytes(message));
  }

  private static ObjectNode selected(long pid) {
    ObjectNode message = Json.object();
    message.putObject("process").put("pid", pid);
    return message;
  }

  /** Opens a file for reading; a relative path begins at the user's home. */
  public Answer read(String path) {
    return route.open(new Call("GET", filePath(path), headers(null), null, null));
  }

  /**
   * Creates or replaces a file, and creates missing directories.
   *
   * @return the agent's response, a JSON array
   */
  public byte[] write(String path, Content content) {
    return send(filePath(path), "application/octet-stream", content);
  }

  private static String filePath(String path) {
    return "/files?path=" + encode(path);
  }

  /** Sends a JSON message to one of the agent's routes and returns its response. */
  public byte[] call(String path, byte[] json) {
    Map<String, String> headers = headers("application/json");
    headers.put("Connect-Protocol-Version", "1");
    return route.request(new Call("POST", path, headers, Content.of(json), null));
  }

  /** Sends a POST to one of the agent's routes and returns its response. */
  public byte[] send(String path, String type, Content content) {
    return route.request(new Call("POST", path, headers(type), content, null));
  }

  private Map<String, String> headers(@Nullable String contentType) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (contentType != null) {
      headers.put("Content-Type", contentType);
    }
    if (user != null) {
      headers.put("Authorization", authorization(user));
    }
    return headers;
  }

  private static String authorization(String user) {
    byte[] credentials = (user + ":").getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(credentials);
  }
}
