// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.api.host.HostTrust;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.local.LocalHost;
import dev.ramet.cli.term.Paint;
import dev.ramet.cli.term.Progress;
import dev.ramet.cli.term.Table;
import dev.ramet.cli.term.Terminal;
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
 * What a command works with: the standard streams, the environment and the host. One per run of the
 * program. Used by one thread.
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

  /** A context of given streams. */
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

  /** The process's own. */
  static Context ofProcess() {
    Map<String, String> environment = System.getenv();
    return new Context(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        environment,
        Terminal.detect(environment));
  }

  void server(@Nullable String address, @Nullable Path trusted) {
    server = address;
    authority = trusted;
  }

  /** An environment variable, or null when it is not set or empty. */
  public @Nullable String environment(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** All environment variables. */
  public Map<String, String> environment() {
    return environment;
  }

  /** Whether somebody said which host is meant; otherwise it is that of this machine. */
  public boolean isHostNamed() {
    return server != null || environment("RAMET_SERVER") != null;
  }

  /**
   * A client of the host that was asked for. It shows the key of {@code RAMET_API_KEY}. Without
   * one, a host on this machine is asked by its unix socket, else with its local key.
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

  /** The address of the host that was asked for. */
  public String address() {
    String address = server != null ? server : environment("RAMET_SERVER");
    if (address == null) {
      String port = environment("RAMET_PORT");
      String scheme = "ON".equalsIgnoreCase(environment("RAMET_TLS")) ? "https" : "http";
      address = scheme + "://127.0.0.1:" + (port == null ? "3000" : port);
    }
    return address;
  }

  /** What was asked for; otherwise, for a host of this machine, what that one made. */
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

  /** Standard input, to the byte. */
  public InputStream in() {
    return in;
  }

  /** Standard output, to the byte. */
  public OutputStream bytes() {
    return bytes;
  }

  /** Standard output for text. */
  public PrintStream out() {
    return out;
  }

  /** Standard error for text. */
  public PrintStream err() {
    return err;
  }

  /** What the streams are connected to. */
  public Terminal terminal() {
    return terminal;
  }

  /** How to emphasise on standard output. */
  public Paint paint() {
    return terminal.onOutput();
  }

  /** Prints a table. */
  public void print(Table table) {
    table.lines().forEach(out::println);
  }

  /** Prints JSON as it came from the host. */
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
   * Does something and shows on standard error that it takes long.
   *
   * @param label what is being done
   * @return what {@code work} returned
   */
  public <T> T during(String label, Supplier<T> work) {
    Progress progress = progress(label);
    try {
      return work.get();
    } finally {
      progress.close();
    }
  }

  /** Shows on standard error that something takes long, until it is closed. */
  public Progress progress(String label) {
    return new Progress(err, terminal.error(), label);
  }
}
