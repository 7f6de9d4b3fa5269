// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.server.tls.TlsProperties;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingTypes;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The unix socket on which the host serves root, its own user and members of the group {@value
 * #GROUP} without a key. If the socket cannot be created, the host logs that and starts without it.
 */
public final class LocalSocket {
  /** Its path; the empty one for no socket. */
  public static final Setting<Path> SOCKET =
      Setting.of(
              "ramet.socket",
              SettingTypes.FILE.orEmpty(),
              "A unix socket through which the host's user, root and the group ramet need no key."
                  + " If empty, the host opens none.")
          .orElse(
              "/run/ramet/PORT.sock for root, $XDG_RUNTIME_DIR/ramet/PORT.sock for others, else"
                  + " ramet.sock in the data root")
          .like("/run/ramet/ramet.sock");

  /** Members of this group may use the socket of a host that runs as root. */
  static final String GROUP = "ramet";

  private static final Logger LOG = LoggerFactory.getLogger(LocalSocket.class);
  private static final Path ROOTS_RUNTIME = Path.of("/run/ramet");

  /** The longest path that fits into {@code sockaddr_un} with its terminating zero (unix(7)). */
  private static final int MAX_BYTES = 107;

  private LocalSocket() {}

  /**
   * Chooses the socket's path and removes the socket of a dead host.
   *
   * @param setting the value of {@link #SOCKET}: a path, empty for no socket, or null for the
   *     default path
   * @param port the host's TCP port; below 1 for any free one
   * @param dataRoot directory of the socket when there is no runtime directory
   * @return null when this host has no socket
   */
  public static @Nullable Path prepare(@Nullable Path setting, int port, Path dataRoot) {
    if (setting != null && setting.toString().isEmpty()) {
      return null;
    }
    Path socket = setting == null ? defaultPath(port, dataRoot) : setting.toAbsolutePath();
    try {
      if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
        throw new IOException("its path is longer than " + MAX_BYTES + " bytes");
      }
      makeDirectory(socket.getParent());
      removeStale(socket);
      tryOut(socket);
      return socket;
    } catch (IOException e) {
      LOG.warn(
          "no unix socket at {}: {}; set {} to another path, or leave it empty",
          socket,
          failureReason(e),
          SOCKET.key());
      return null;
    }
  }

  private static Path defaultPath(int port, Path dataRoot) {
    Path runtime = runtimeDirectory();
    return runtime == null || port < 1
        ? dataRoot.toAbsolutePath().resolve("ramet.sock")
        : runtime.resolve(port + ".sock");
  }

  /**
   * Returns the directory in which hosts of this user publish their sockets and keys, or null if
   * there is none.
   */
  static @Nullable Path runtimeDirectory() {
    if (isRoot()) {
      return ROOTS_RUNTIME;
    }
    String own = System.getenv("XDG_RUNTIME_DIR");
    return own == null || own.isEmpty() ? null : Path.of(own, "ramet");
  }

  private static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      return false;
    }
  }

  /** Only root and the group may enter the runtime directory of hosts that run as root. */
  private static void makeDirectory(@Nullable Path directory) throws IOException {
    if (directory == null) {
      return;
    }
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    if (directory.equals(ROOTS_RUNTIME)) {
      boolean group = giveToGroup(directory);
      Files.setPosixFilePermissions(
          directory, PosixFilePermissions.fromString(group ? "rwxr-x---" : "rwx------"));
    }
  }

  /** Makes the socket once for a try: one that fails later, as on a full disk, ends the host. */
  private static void tryOut(Path socket) throws IOException {
    try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.bind(UnixDomainSocketAddress.of(socket));
    } finally {
      Files.deleteIfExists(socket);
    }
  }

  private static void removeStale(Path socket) throws IOException {
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.readAttributes(
            socket, java.nio.file.attribute.BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw new FileAlreadyExistsException(socket.toString(), null, "another file exists there");
    }
    try (SocketChannel open = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      throw new FileAlreadyExistsException(
          socket.toString(), null, "another host listens there: " + open.getRemoteAddress());
    } catch (java.net.ConnectException e) {
      Files.delete(socket); // no process listens any more
    }
  }

  /**
   * Lets root, the host's user and the group use a listening socket.
   *
   * @throws IOException when its mode cannot be changed
   */
  static void open(Path socket) throws IOException {
    boolean group = isRoot() && giveToGroup(socket);
    Files.setPosixFilePermissions(
        socket, PosixFilePermissions.fromString(group ? "rw-rw----" : "rw-------"));
  }

  private static boolean giveToGroup(Path path) throws IOException {
    try {
      GroupPrincipal group =
          path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(GROUP);
      Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(group);
      return true;
    } catch (UserPrincipalNotFoundException e) {
      return false; // this machine has no such group: only the host's user may use the socket
    }
  }

  /**
   * Returns the Micronaut properties that make the host listen on its port and on the socket.
   *
   * @param socket the result of {@link #prepare}, or null
   * @param tls whether the port speaks TLS; the socket never does
   */
  public static Map<String, Object> properties(@Nullable Path socket, int port, boolean tls) {
    String listeners = "micronaut.server.netty.listeners.";
    Map<String, Object> all = new java.util.LinkedHashMap<>();
    all.put(listeners + "tcp.host", "${ramet.bind}");
    all.put(listeners + "tcp.port", Math.max(0, port)); // 0 means any free port
    all.put(listeners + "tcp.ssl", tls);
    if (tls) {
      all.put(listeners + "tcp.key-name", TlsProperties.KEY_NAME);
    }
    if (socket != null) {
      all.put(listeners + "local.family", "UNIX");
      all.put(listeners + "local.path", socket.toString());
    }
    return all;
  }

  private static String failureReason(IOException e) {
    return e instanceof FileSystemException file && file.getReason() != null
        ? file.getReason()
        : e.toString();
  }
}
