// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Carries the connections of one sandbox's guest that its rules do not let the kernel pass by
 * themselves. The kernel brings them to a port of this relay instead of where they were to go. When
 * this process ends, so do they, and new ones find nobody. Thread-safe.
 */
public final class Relay implements AutoCloseable {
  /** A sandbox has so many connections here at once; one more is reset. */
  public static final int MOST_CONNECTIONS = 256;

  private static final System.Logger LOG = System.getLogger(Relay.class.getName());
  private static final int BACKLOG = 128;
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ServerSocket listener;
  private final Origins origins;
  private final Dialer dialer;
  private final Set<Connection> connections = new HashSet<>();
  private Passage passage;
  private boolean closed;
  private volatile @Nullable Thread acceptor;

  private Relay(ServerSocket listener, Origins origins, Dialer dialer, Passage passage) {
    this.listener = listener;
    this.origins = origins;
    this.dialer = dialer;
    this.passage = passage;
  }

  /**
   * Begins to listen, at a port of 127.0.0.1.
   *
   * @param origins says where connections were to go
   * @param lookup looks up the names that guests ask for
   * @param passage what the rules say, those about requests among them
   */
  public static Relay open(Origins origins, Lookup lookup, Passage passage) throws IOException {
    ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getByAddress(LOOPBACK));
    Relay relay = new Relay(listener, origins, new Dialer(lookup), passage);
    relay.acceptor = thread(relay::accept);
    return relay;
  }

  /** A thread of a relay; does not keep the process from ending. */
  static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "ramet-relay");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Where it listens. */
  public int port() {
    return listener.getLocalPort();
  }

  Origins origins() {
    return origins;
  }

  Dialer dialer() {
    return dialer;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket guest = listener.accept();
        Connection connection = new Connection(this, guest);
        if (begun(connection)) {
          thread(connection);
        } else {
          connection.end();
        }
      } catch (IOException e) {
        // Closed, or out of descriptors: what waits is accepted when there are some again.
        LOG.log(System.Logger.Level.DEBUG, "a connection of a guest was not accepted", e);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private synchronized boolean begun(Connection connection) {
    return !closed && connections.size() < MOST_CONNECTIONS && connections.add(connection);
  }

  synchronized void ended(Connection connection) {
    connections.remove(connection);
  }

  /** What the rules say now. Whoever decides by it does so under the lock of this relay. */
  synchronized Passage passage() {
    return passage;
  }

  /** Other rules. Connections that these do not allow are ended. */
  public void change(Passage other) {
    List<Connection> refused = new ArrayList<>();
    synchronized (this) {
      passage = other;
      for (Connection connection : connections) {
        if (!connection.stays(other)) {
          refused.add(connection);
        }
      }
    }
    refused.forEach(Connection::end);
  }

  /** Ends all connections. Idempotent. */
  @Override
  public void close() {
    List<Connection> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(connections);
    }
    try {
      listener.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "the port of a relay", e);
    }
    open.forEach(Connection::end);
    awaitAcceptor();
  }

  /** The port is free once the thread that waits for connections has noticed. */
  private void awaitAcceptor() {
    Thread waiting = acceptor;
    if (waiting != null) {
      try {
        waiting.join(PATIENCE.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
