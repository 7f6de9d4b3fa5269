// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.local;

import dev.ramet.api.host.HostTrust;
import dev.ramet.config.WrittenSettings;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the host on this machine by which commands reach it: its address, TLS, data root
 * and unix socket. A variable overrides the host's file, as it does for the host. Options of {@code
 * ramet serve} are not known here. Immutable and thread-safe.
 */
public final class LocalSettings {
  /** The port of a host that sets none. */
  public static final int DEFAULT_PORT = 3000;

  private static final String PORT = "ramet.port";
  private static final String DATA_ROOT = "ramet.data-root";
  private static final String CERTIFICATE = "ramet.tls-certificate";
  private static final Set<String> EVERY_ADDRESS = Set.of("0.0.0.0", "::", "*", "127.0.0.1");

  private final WrittenSettings settings;
  private final int port;

  private LocalSettings(WrittenSettings settings) {
    this.settings = settings;
    this.port = port(settings);
  }

  /**
   * Reads the settings.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when the host's file is damaged: the default
   *     address may be that of another host
   */
  public static LocalSettings read(Map<String, String> environment) {
    WrittenSettings settings = WrittenSettings.read(environment);
    if (!settings.problems().isEmpty()) {
      throw wrong("the host's settings are invalid: " + settings.problems().get(0));
    }
    return new LocalSettings(settings);
  }

  /**
   * Reads the settings for an address that the user named, which may belong to another host; so
   * damaged ones count as absent.
   */
  static LocalSettings readLeniently(Map<String, String> environment) {
    try {
      return read(environment);
    } catch (RametException e) {
      return new LocalSettings(WrittenSettings.ofEnvironment(Map.of()));
    }
  }

  /** Returns whether the environment says on which port the host of this machine is. */
  public static boolean setsPort(Map<String, String> environment) {
    return WrittenSettings.ofEnvironment(environment).text(PORT) != null;
  }

  private static int port(WrittenSettings settings) {
    String text = settings.text(PORT);
    if (text == null) {
      return DEFAULT_PORT;
    }
    try {
      int port = Integer.parseInt(text);
      if (port == -1 || (port >= 1 && port <= 65_535)) {
        return port;
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw wrong(
        settings.origin(PORT)
            + ": "
            + PORT
            + ": must be a port like "
            + DEFAULT_PORT
            + ", not "
            + text);
  }

  private static RametException wrong(String text) {
    return new RametException(
        ErrorCode.INVALID_ARGUMENT,
        text,
        "run: ramet config check; or name the host to ask with --server",
        null);
  }

  /** Returns the TCP port, or -1 when the host takes any free one. */
  int port() {
    return port;
  }

  /** Returns the address at which clients on this machine reach the host. */
  public String address() {
    String bind = settings.text("ramet.bind");
    String name =
        bind == null || EVERY_ADDRESS.contains(bind)
            ? "127.0.0.1"
            : bind.indexOf(':') >= 0 ? "[" + bind + "]" : bind;
    return scheme() + "://" + name + ":" + (port < 0 ? DEFAULT_PORT : port);
  }

  private String scheme() {
    return "ON".equalsIgnoreCase(settings.text("ramet.tls")) ? "https" : "http";
  }

  /** Returns where the address is set, for people: a file, variables, or the default. */
  public String origin() {
    List<String> origins = new ArrayList<>();
    for (String key : new String[] {PORT, "ramet.bind", "ramet.tls"}) {
      String origin = settings.origin(key);
      if (origin != null && !origins.contains(origin)) {
        origins.add(origin);
      }
    }
    return origins.isEmpty() ? "the default" : String.join(" and ", origins);
  }

  /**
   * Returns a sentence for people when the host's file exists and this user may not read it, so
   * that the address may be wrong; otherwise null.
   */
  public @Nullable String doubt() {
    return settings.isReadable()
        ? null
        : "you may not read " + settings.file() + ", so its port and TLS are not known";
  }

  /** Returns the data root. */
  Path dataRoot() {
    String set = settings.text(DATA_ROOT);
    return Path.of(set == null ? "/var/lib/ramet" : set);
  }

  /** Returns whether the data root is set; otherwise it is the default. */
  boolean setsDataRoot() {
    return settings.text(DATA_ROOT) != null;
  }

  /** Returns the path of the unix socket, or null when it is not set. */
  @Nullable Path socket() {
    String set = settings.text("ramet.socket");
    return set == null || set.isEmpty() ? null : Path.of(set);
  }

  /**
   * Returns a file of the certificates to trust: the certificate that the host shows, or the
   * authority that issued it where the host did that itself. Null when this user can read neither.
   */
  public @Nullable Path authority() {
    String certificate = settings.text(CERTIFICATE);
    Path file =
        certificate == null ? dataRoot().resolve(HostTrust.AUTHORITY) : Path.of(certificate);
    return Files.isReadable(file) ? file : null;
  }
}
