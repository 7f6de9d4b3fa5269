// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.server.ServerSettings;
import io.micronaut.context.annotation.Value;
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
 * Lets those who administer this machine in: by the unix socket, and by the local key. In the
 * runtime directory a link named after the port leads to the key, so that the command line finds
 * the key of the host that it asks.
 */
@Singleton
final class LocalAccess {
  private static final Logger LOG = LoggerFactory.getLogger(LocalAccess.class);

  private final LocalKey key;
  private final Path keyFile;
  private final @Nullable Path socket;
  private @Nullable Path link;

  LocalAccess(
      Access access,
      ServerSettings server,
      @Value("${micronaut.server.netty.listeners.local.path:}") String socket) {
    key = access.localKey();
    keyFile = server.dataRoot().toAbsolutePath().resolve(LocalKey.NAME);
    this.socket = socket.isEmpty() ? null : Path.of(socket);
  }

  /** Once the host listens, and not before: a second host on the same port changes nothing. */
  @EventListener
  void started(ServerStartupEvent event) {
    key.prepare();
    if (socket != null) {
      try {
        LocalSocket.open(socket);
        LOG.info("listening on {}", socket);
      } catch (IOException e) {
        LOG.warn("cannot let others use {}: {}", socket, e.toString());
      }
    }
    link(event.getSource().getPort());
  }

  private void link(int port) {
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
