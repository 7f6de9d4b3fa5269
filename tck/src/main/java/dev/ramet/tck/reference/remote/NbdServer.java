// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Serves images by name over the network block device protocol on a Unix domain socket: the fixed
 * newstyle handshake, simple replies, and the commands read, write, flush, trim and write-zeroes.
 * Each connection has a thread. Thread-safe.
 */
public final class NbdServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(NbdServer.class.getName());

  private final Path socket;
  private final Exports exports;
  private final ServerSocketChannel listening;
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

  /** Finds images by name. Thread-safe. */
  @FunctionalInterface
  public interface Exports {
    /** Returns the image of that name, or null if there is none. */
    @Nullable NbdExport find(String name);
  }

  private NbdServer(Path socket, Exports exports, ServerSocketChannel listening) {
    this.socket = socket;
    this.exports = exports;
    this.listening = listening;
  }

  /**
   * Starts to serve.
   *
   * @param socket the path of the socket, which must not exist and whose name may have about a
   *     hundred bytes (unix(7))
   */
  public static NbdServer start(Path socket, Exports exports) throws IOException {
    ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    boolean started = false;
    try {
      listening.bind(UnixDomainSocketAddress.of(socket));
      NbdServer server = new NbdServer(socket, exports, listening);
      thread("accepts", server::accept);
      started = true;
      return server;
    } finally {
      if (!started) {
        listening.close();
      }
    }
  }

  private static void thread(String does, Runnable work) {
    Thread thread = new Thread(work, "nbd-" + does);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel client = listening.accept();
        open.add(client);
        thread("serves", () -> serve(client));
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "no more clients at {0}: {1}", socket, e.getMessage());
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      NbdExport export = new NbdHandshake(client, exports).agree();
      if (export != null) {
        new NbdSession(client, export).run();
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.DEBUG, "a client of {0} is gone: {1}", socket, e.getMessage());
    } finally {
      open.remove(client);
    }
  }

  /** Ends all connections and removes the socket. Idempotent. */
  @Override
  public void close() throws IOException {
    listening.close();
    for (SocketChannel client : open) {
      client.close();
    }
    Files.deleteIfExists(socket);
  }
}
