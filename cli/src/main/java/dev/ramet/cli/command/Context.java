// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.api.host.HostTrust;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.local.LocalHost;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
  private @Nullable String server;
  private @Nullable Path authority;

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

  public void server(@Nullable String address, @Nullable Path trusted) {
    server = address;
    authority = trusted;
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
    return server != null || environment("RAMET_SERVER") != null;
  }

  /**
   * Returns a client of the selected host. It uses the key in {@code RAMET_API_KEY}. Without one, a
   * host on this machine is called over its unix socket or with its local key.
   */
  public Client client() {
    String address = address();
    String key = environment("RAMET_API_KEY");
    LocalHost local = key == null ? LocalHost.at(address, environment) : null;
    Path socket = local == null ? null : local.socket();
    if (socket != null) {
      return Client.bySocket(address, socket);
    }
    return new Client(address, local == null ? key : local.key(), authority(address));
  }

  /** Returns the address of the selected host. */
  public String address() {
    String address = server != null ? server : environment("RAMET_SERVER");
    if (address == null) {
      String port = environment("RAMET_PORT");
      String scheme = "ON".equalsIgnoreCase(environment("RAMET_TLS")) ? "https" : "http";
      address = scheme + "://127.0.0.1:" + (port == null ? "3000" : port);
    }
    return address;
  }

  /**
   * Returns the authority that the user named; otherwise, for a host of this machine, the authority
   * of its self-issued certificate.
   */
  private @Nullable Path authority(String address) {
    if (authority != null) {
      return authority;
    }
    String set = environment("RAMET_CA");
    if (set != null) {
      return Path.of(set);
    }
    if (LocalHost.at(address, environment) == null) {
      return null;
    }
    String root = environment("RAMET_DATA_ROOT");
    Path made = Path.of(root == null ? "/var/lib/ramet" : root).resolve(HostTrust.AUTHORITY);
    return Files.isReadable(made) ? made : null;
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
    return new Progress(err, terminal.error(), label);
  }
}
