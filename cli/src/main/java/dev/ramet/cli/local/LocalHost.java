// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.local;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host on this machine, and the access that its administrators have without an API key: its unix
 * socket or its local key. Immutable and thread-safe.
 */
public final class LocalHost {
  private static final Pattern HERE = Pattern.compile("localhost|127[.][0-9.]+|\\[::1]");
  private static final Path ROOTS_RUNTIME = Path.of("/run/ramet");

  private final URI address;
  private final Map<String, String> environment;
  private final LocalSettings settings;
  private final boolean ofSettings;

  private LocalHost(
      URI address, Map<String, String> environment, LocalSettings settings, boolean ofSettings) {
    this.address = address;
    this.environment = environment;
    this.settings = settings;
    this.ofSettings = ofSettings;
  }

  /** Returns the host at an address, or null when the address is on another machine. */
  public static @Nullable LocalHost at(String address, Map<String, String> environment) {
    try {
      URI uri = URI.create(address);
      String name = uri.getHost();
      return name != null && HERE.matcher(name).matches()
          ? new LocalHost(uri, environment, LocalSettings.readLeniently(environment), false)
          : null;
    } catch (IllegalArgumentException e) {
      return null; // the client refuses such an address
    }
  }

  /** Returns the host that has these settings. */
  public static LocalHost of(LocalSettings settings, Map<String, String> environment) {
    return new LocalHost(URI.create(settings.address()), environment, settings, true);
  }

  /** Returns its unix socket, or null when there is none that this user may connect to. */
  public @Nullable Path socket() {
    List<Path> candidates = new ArrayList<>();
    if (isDefault()) {
      add(candidates, settings.socket());
    }
    runtimeDirectories().forEach(directory -> candidates.add(directory.resolve(port() + ".sock")));
    if (isDefault() && settings.setsDataRoot()) {
      candidates.add(settings.dataRoot().resolve("ramet.sock"));
    }
    for (Path candidate : candidates) {
      if (isTrusted(candidate) && isListening(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  /**
   * Returns the file of its local key: the first candidate that exists, or null. This user may be
   * unable to read it.
   */
  public @Nullable Path keyFile() {
    List<Path> candidates = new ArrayList<>();
    runtimeDirectories().forEach(directory -> candidates.add(directory.resolve(port() + ".key")));
    if (isDefault()) {
      candidates.add(settings.dataRoot().resolve("local.key"));
    }
    for (Path candidate : candidates) {
      if (Files.exists(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  /**
   * Returns its local key, or null when there is none that this user can read, or when another user
   * listens at the address: any local user could take the port of a stopped host and receive the
   * key.
   */
  public @Nullable String key() {
    Path file = keyFile();
    if (file == null || !Files.isReadable(file)) {
      return null;
    }
    try {
      int owner = owner(file.toRealPath());
      boolean proven = "https".equals(address.getScheme());
      if (!proven
          && !Listeners.isOwnedBy(owner, new InetSocketAddress(address.getHost(), port()))) {
        return null;
      }
      return Files.readString(file).strip();
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Returns a file of the certificates to trust for hosts on this machine, or null when this user
   * can read none.
   */
  public @Nullable Path authority() {
    return settings.authority();
  }

  /** Returns whether the settings of this machine are for this host. */
  private boolean isDefault() {
    return ofSettings || port() == settings.port();
  }

  private int port() {
    return address.getPort() >= 0
        ? address.getPort()
        : "https".equals(address.getScheme()) ? 443 : 80;
  }

  private List<Path> runtimeDirectories() {
    List<Path> all = new ArrayList<>();
    all.add(ROOTS_RUNTIME);
    String own = variable("XDG_RUNTIME_DIR");
    if (own != null) {
      all.add(Path.of(own, "ramet"));
    }
    return all;
  }

  private static void add(List<Path> candidates, @Nullable Path path) {
    if (path != null) {
      candidates.add(path);
    }
  }

  private @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Returns whether root or this user owns a path: other users could impersonate the host. */
  private static boolean isTrusted(Path path) {
    try {
      int owner = owner(path);
      return owner == 0 || owner == owner(Path.of("/proc/self"));
    } catch (IOException e) {
      return false;
    }
  }

  private static int owner(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:uid");
  }

  private static boolean isListening(Path socket) {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      return channel.isConnected();
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }
}
