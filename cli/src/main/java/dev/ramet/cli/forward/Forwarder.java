// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.forward;

import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Tunnel;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens on a port here and carries each connection to a port of a guest. A connection ends with
 * the machine; the next one reaches the machine that a rollback has restored. Thread-safe.
 */
final class Forwarder implements AutoCloseable {
  private static final int WAITING = 50;
  private static final int BUFFER = 64 << 10;
  private static final long ACCEPT_PAUSE_NANOS = 200_000_000;

  /** The sandbox whose ports are reached. */
  record Target(Client client, String sandbox, @Nullable String token) {}

  private final ServerSocket listener;
  private final Target target;
  private final int remote;
  private final Consumer<RametException> failed;

  private Forwarder(
      ServerSocket listener, Target target, int remote, Consumer<RametException> failed) {
    this.listener = listener;
    this.target = target;
    this.remote = remote;
    this.failed = failed;
  }

  /**
   * Starts to listen.
   *
   * @param failed receives the errors of single connections
   * @throws RametException CONFLICT if the port is in use
   */
  static Forwarder listen(
      Target target, InetAddress address, PortPair ports, Consumer<RametException> failed) {
    try {
      ServerSocket listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(address, ports.local()), WAITING);
      return new Forwarder(listener, target, ports.remote(), failed);
    } catch (BindException e) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "cannot listen on %s:%d: %s"
              .formatted(address.getHostAddress(), ports.local(), e.getMessage()),
          "choose another port here, for example :" + ports.remote() + " for any free one",
          e);
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot listen: " + e.getMessage(), e);
    }
  }

  /** Returns the address that it listens on, for example {@code 127.0.0.1:8080}. */
  String address() {
    return listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort();
  }

  int localPort() {
    return listener.getLocalPort();
  }

  int remotePort() {
    return remote;
  }

  /** Accepts connections in daemon threads until it is closed. */
  void start() {
    daemon("port-" + remote, this::accept);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        daemon("connection", () -> carry(client));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          failed.accept(new RametException(ErrorCode.INTERNAL, "cannot accept: " + e.getMessage()));
          // The cause, such as too many open files, does not go at once.
          LockSupport.parkNanos(ACCEPT_PAUSE_NANOS);
        }
      }
    }
  }

  private void carry(Socket client) {
    try (client;
        Tunnel tunnel = target.client().tunnel(target.sandbox(), remote, target.token())) {
      client.setTcpNoDelay(true);
      Thread up =
          daemon(
              "upstream",
              () -> {
                copy(client, tunnel);
              });
      try {
        pump(tunnel.input(), client.getOutputStream());
        client.shutdownOutput();
        up.join(); // the guest may still receive
      } catch (IOException e) {
        client.setSoLinger(true, 0); // what arrived is not all: the client must not take it so
        throw e;
      } finally {
        client.close();
        tunnel.close();
      }
    } catch (RametException e) {
      failed.accept(e);
    } catch (IOException e) {
      // One of the two has broken the connection.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the tunnel if the client breaks its connection; if it ends its output, only that. */
  private static void copy(Socket client, Tunnel tunnel) {
    try {
      pump(client.getInputStream(), tunnel.output());
      tunnel.output().close();
    } catch (IOException e) {
      try {
        tunnel.close();
      } catch (IOException closed) {
        // It is closed anyway.
      }
    }
  }

  private static void pump(InputStream from, OutputStream to) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
      to.write(buffer, 0, n);
      to.flush();
    }
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      // It does not listen any more.
    }
  }
}
