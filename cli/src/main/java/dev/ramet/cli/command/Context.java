// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.RequestLog;
import dev.ramet.cli.target.HostAccess;
import dev.ramet.cli.target.SavedContext;
import dev.ramet.cli.target.Target;
import dev.ramet.cli.term.Progress;
import dev.ramet.cli.term.Table;
import dev.ramet.cli.term.Terminal;
import dev.ramet.cli.term.TextStyle;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The environment of a command: the standard streams, the environment variables and the host. One
 * per run of the program. Used by one thread.
 */
public final class Context {
  private final InputStream in;
  private final OutputStream bytes;
  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, String> environment;
  private final Terminal terminal;
  private final Connection connection = new Connection();
  private @Nullable CommandSpec command;
  private @Nullable Target target;
  private @Nullable HostAccess access;

  /** Creates a context with given streams. */
  public Context(
      InputStream in,
      OutputStream out,
      OutputStream err,
      Map<String, String> environment,
      Terminal terminal) {
    this.in = in;
    this.bytes = out;
    this.out = new PrintStream(out, true, StandardCharsets.UTF_8);
    this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
    this.environment = Map.copyOf(environment);
    this.terminal = terminal;
  }

  /** Returns the context of this process. */
  public static Context ofProcess() {
    Map<String, String> environment = System.getenv();
    return new Context(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        environment,
        Terminal.detect(environment));
  }

  /** Returns the options by which commands choose their host. */
  public Connection connection() {
    return connection;
  }

  /** Sets the command that runs. */
  public void command(CommandSpec running) {
    command = running;
  }

  /** Returns the command that runs, or null before it does. */
  @Nullable CommandSpec command() {
    return command;
  }

  /** Returns an environment variable, or null when it is unset or empty. */
  public @Nullable String environment(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Returns all environment variables. */
  public Map<String, String> environment() {
    return environment;
  }

  /** Returns whether the user named a host; otherwise the host of this machine is used. */
  public boolean isHostNamed() {
    return target().named();
  }

  /**
   * Returns the host that commands ask.
   *
   * @throws dev.ramet.errors.RametException when it cannot be told, as with a context that does not
   *     exist
   */
  public Target target() {
    Target chosen = target;
    if (chosen == null) {
      chosen = Target.choose(connection.server(), connection.context(), environment);
      target = chosen;
    }
    return chosen;
  }

  /**
   * Returns a client of the selected host. It uses the key of the context, else the one in {@code
   * RAMET_API_KEY} if that is for this host. Without one, a host on this machine is called over its
   * unix socket or with its local key.
   */
  public Client client() {
    Target chosen = target();
    if (chosen.doubt() != null) {
      notice("asking " + chosen.address() + ": " + chosen.doubt());
    }
    HostAccess access = access();
    if (connection.verbose()) {
      err.println("host: " + access.describe(chosen));
    }
    Client client =
        access.socket() != null
            ? Client.bySocket(chosen.address(), access.socket())
            : new Client(
                chosen.address(),
                access.key(),
                chosen.authority(connection.authority(), environment));
    return connection.verbose() ? client.reportingTo(new RequestLog(err::println)) : client;
  }

  /** Returns the host that commands ask and the way to it, in one line for people. */
  public String describeTarget() {
    return access().describe(target());
  }

  /** A context's key may come from a command, which runs once for each run of the program. */
  private HostAccess access() {
    HostAccess chosen = access;
    if (chosen == null) {
      chosen = HostAccess.to(target(), keyOfEnvironment());
      access = chosen;
    }
    return chosen;
  }

  private @Nullable String keyOfEnvironment() {
    String key = environment("RAMET_API_KEY");
    SavedContext from = target().context();
    if (key == null || from == null || from.hasKey() || target().takesKeyOf(environment)) {
      return key;
    }
    notice(
        "RAMET_API_KEY is not sent to %s, because it is not for the context %s; give the context a key: ramet context add %s %s --replace --key-file FILE"
            .formatted(from.server(), from.name(), from.name(), from.server()));
    return null;
  }

  /** Prints a line that is neither a result nor an error, unless the user wants none. */
  public void notice(String line) {
    if (!connection.quiet()) {
      err.println(line);
    }
  }

  /** Returns standard input as bytes. */
  public InputStream in() {
    return in;
  }

  /** Returns standard output for bytes. */
  public OutputStream bytes() {
    return bytes;
  }

  /** Returns standard output for text. */
  public PrintStream out() {
    return out;
  }

  /** Returns standard error for text. */
  public PrintStream err() {
    return err;
  }

  /** Returns what the streams are connected to. */
  public Terminal terminal() {
    return terminal;
  }

  /** Returns the emphasis for standard output. */
  public TextStyle paint() {
    return terminal.onOutput();
  }

  /** Prints a table. */
  public void print(Table table) {
    table.lines().forEach(out::println);
  }

  /** Prints JSON unchanged, as the host sent it. */
  public void json(byte[] json) {
    try {
      bytes.write(json);
      bytes.write('\n');
      bytes.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs an action and shows progress on standard error if it takes long.
   *
   * @param label description of the action
   * @return the result of {@code work}
   */
  public <T> T during(String label, Supplier<T> work) {
    Progress progress = progress(label);
    try {
      return work.get();
    } finally {
      progress.close();
    }
  }

  /** Shows progress on standard error until it is closed. */
  public Progress progress(String label) {
    return new Progress(err, terminal.error() && !connection.quiet(), label);
  }
}
