// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.engine.EngineConfig;
import dev.ramet.keys.LocalKeyFile;
import dev.ramet.server.http.ListenAddress;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets up access for the administrators of this machine: the unix socket and the local key. A link
 * in the runtime directory, named after the port, points to the key, so that the command line finds
 * the key of the host it calls.
 */
@Singleton
final class LocalAccess {
  private static final Logger LOG = LoggerFactory.getLogger(LocalAccess.class);

  private final LocalKey key;
  private final Path keyFile;
  private final @Nullable Path socket;
  private final Settings settings;
  private @Nullable Path link;
  private boolean admitted;

  LocalAccess(
      AccessControl access,
      Settings settings,
      @Value("${micronaut.server.netty.listeners.local.path:}") String socket) {
    key = access.localKey();
    this.settings = settings;
    keyFile = settings.get(EngineConfig.DATA_ROOT).toAbsolutePath().resolve(LocalKeyFile.NAME);
    this.socket = socket.isEmpty() ? null : Path.of(socket);
  }

  /**
   * Creates the key before the host listens, so that it can be used as soon as the port is open.
   * Skipped when the port is taken and the server will therefore fail: a second start of a host
   * must change nothing.
   */
  @EventListener
  void beforeStart(StartupEvent event) {
    int port = settings.get(HostSettings.PORT);
    if (port > 0 && ListenAddress.isFree(settings.get(HostSettings.BIND), port)) {
      allowLocalAccess(port);
    }
  }

  /** Opens the socket, and creates the key unless that was done before. */
  @EventListener
  void afterStart(ServerStartupEvent event) {
    allowLocalAccess(event.getSource().getPort());
    if (socket != null) {
      try {
        LocalSocket.open(socket);
        LOG.info("listening on {}", socket);
      } catch (IOException e) {
        LOG.warn("cannot open {}: {}", socket, e.toString());
      }
    }
  }

  private void allowLocalAccess(int port) {
    if (!admitted) {
      admitted = true;
      key.prepare();
      publish(port);
    }
  }

  private void publish(int port) {
    Path runtime = LocalSocket.runtimeDirectory();
    if (runtime == null || socket == null || !runtime.equals(socket.getParent())) {
      return;
    }
    Path wanted = runtime.resolve(port + ".key");
    try {
      Files.deleteIfExists(wanted);
      Files.createSymbolicLink(wanted, keyFile);
      link = wanted;
    } catch (IOException e) {
      LOG.warn("cannot make the link {}: {}", wanted, e.toString());
    }
  }

  @PreDestroy
  void close() {
    try {
      if (link != null) {
        Files.deleteIfExists(link);
      }
      if (socket != null) {
        Files.deleteIfExists(socket);
      }
    } catch (IOException e) {
      LOG.warn("cannot remove {}: {}", socket, e.toString());
    }
  }
}
