// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.certificates.Certificates;
import dev.ramet.certificates.Issued;
import dev.ramet.engine.relay.HeaderRules;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** The two ends of a guest's request: a client as in a guest, and the host that it asks. */
final class Ends implements AutoCloseable {
  static final String NAME = "api.test";
  private static final int PATIENCE_MILLIS = 60_000;

  final Issued authority = Certificates.authority("of a test", Duration.ofDays(2));
  final AtomicInteger connections = new AtomicInteger();

  /** What went wrong in a thread of an end. */
  final Queue<Throwable> troubles = new ConcurrentLinkedQueue<>();

  private final Queue<AutoCloseable> open = new ConcurrentLinkedQueue<>();

  /** What a host does with a connection. */
  interface Script {
    void serve(InputStream in, OutputStream out) throws Exception;
  }

  /** A host; answers its port. */
  int host(boolean tls, Script script) throws Exception {
    ServerSocket server =
        tls
            ? HostTls.context(authority, NAME)
                .getServerSocketFactory()
                .createServerSocket(0, 50, loopback())
            : new ServerSocket(0, 50, loopback());
    accept(server, script);
    return server.getLocalPort();
  }

  /** Stands for the relay; answers its port. */
  int relay(HeaderRules rules, boolean tls, int hostPort) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, loopback());
    accept(
        server,
        (in, out) ->
            rules.serve(
                NAME,
                tls,
                in,
                out,
                name -> {
                  connections.incrementAndGet();
                  return new Socket(loopback(), hostPort);
                }));
    return server.getLocalPort();
  }

  private void accept(ServerSocket server, Script script) {
    open.add(server);
    thread(
        () -> {
          while (!server.isClosed()) {
            Socket socket = server.accept();
            open.add(socket);
            thread(
                () -> {
                  try (socket) {
                    script.serve(socket.getInputStream(), socket.getOutputStream());
                  }
                });
          }
        });
  }

  private interface Work {
    void run() throws Exception;
  }

  private void thread(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Exception | AssertionError e) {
                troubles.add(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  /** A guest's connection in plain text. */
  Socket guest(int port) throws IOException {
    Socket socket = new Socket(loopback(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    open.add(socket);
    return socket;
  }

  /** A guest's connection with TLS that trusts one authority. */
  SSLSocket guest(int port, String pem, String... protocols) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry(
        "x",
        CertificateFactory.getInstance("X.509")
            .generateCertificate(
                new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(guest(port), NAME, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  static void send(Socket socket, String text) throws IOException {
    send(socket.getOutputStream(), text);
  }

  static void send(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  static String read(InputStream in, int bytes) throws IOException {
    return new String(in.readNBytes(bytes), StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }
}
