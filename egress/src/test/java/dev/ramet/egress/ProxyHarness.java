// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import dev.ramet.certificates.Certificates;
import dev.ramet.certificates.Issued;
import dev.ramet.egress.proxy.ConnectionPolicy;
import dev.ramet.egress.proxy.OriginalDestination;
import dev.ramet.egress.proxy.ProxyServer;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.HostPatterns;
import dev.ramet.egress.rule.UpstreamProxy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between guests and hosts that tests script byte by byte. Every name below {@code .test}
 * leads to the address of the scripted hosts. Guests connect to the proxy directly, as if the
 * kernel had redirected a connection to {@link #wanted}.
 */
final class ProxyHarness implements AutoCloseable {
  static final String NAME = "a.test";

  /** The address of the scripted hosts. */
  static final String HOSTS = "127.77.8.1";

  /** An address that no rule allows. */
  static final String ELSEWHERE = "192.0.2.77";

  private static final int PATIENCE_MILLIS = 60_000;

  final Issued authority = Certificates.authority("of a test", Duration.ofDays(2));
  final AtomicInteger hostConnections = new AtomicInteger();

  /** Failures of scripted hosts. */
  final Queue<Throwable> troubles = new ConcurrentLinkedQueue<>();

  private final Queue<AutoCloseable> open = new ConcurrentLinkedQueue<>();
  private volatile @Nullable ProxyServer server;
  private volatile @Nullable OriginalDestination wanted;

  /** A host's side of one connection. */
  interface Script {
    void serve(Socket socket) throws Exception;
  }

  /** Starts a host at a free port and lets guests ask for that port. */
  int host(Script script) throws Exception {
    return host(0, false, script);
  }

  /** Starts a host that speaks TLS as {@link #NAME}. */
  int tlsHost(Script script) throws Exception {
    return host(0, true, script);
  }

  int host(int port, boolean tls, Script script) throws Exception {
    ServerSocket server =
        tls
            ? HostTls.context(authority, NAME).getServerSocketFactory().createServerSocket()
            : new ServerSocket();
    open.add(server);
    // Guests that open hundreds of connections at once must all find room.
    server.bind(new InetSocketAddress(InetAddress.getByName(HOSTS), port), 512);
    wanted(ELSEWHERE, server.getLocalPort());
    thread(() -> accept(server, script));
    return server.getLocalPort();
  }

  private void accept(ServerSocket server, Script script) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        socket.setSoTimeout(PATIENCE_MILLIS);
        hostConnections.incrementAndGet();
        open.add(socket);
        thread(() -> serve(socket, script));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket, Script script) {
    try (socket) {
      script.serve(socket);
    } catch (Exception | AssertionError e) {
      troubles.add(e);
    }
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
  }

  /** Sets the address and port that further guests ask for. */
  void wanted(String address, int port) throws IOException {
    wanted = new OriginalDestination(InetAddress.getByName(address), port);
  }

  /** Starts the proxy with rules that allow these names and no address. */
  void proxy(RequestInterceptor headers, String... names) throws IOException {
    proxy(policy(false, null, headers, names));
  }

  void proxy(ConnectionPolicy policy) throws IOException {
    ProxyServer made = ProxyServer.open(port -> wanted, ProxyHarness::lookup, policy);
    server = made;
    open.add(made);
  }

  void change(ConnectionPolicy policy) {
    server().replacePolicy(policy);
  }

  private ProxyServer server() {
    ProxyServer made = server;
    if (made == null) {
      throw new IllegalStateException("no proxy yet");
    }
    return made;
  }

  /**
   * Rules of a sandbox.
   *
   * @param addresses whether the addresses of hosts are allowed
   */
  static ConnectionPolicy policy(
      boolean addresses,
      @Nullable UpstreamProxy socks,
      RequestInterceptor headers,
      String... names) {
    return new ConnectionPolicy(
        address -> address.getHostAddress().startsWith("127.66."),
        address -> addresses && address.getHostAddress().equals(HOSTS),
        HostPatterns.parse(List.of(names)),
        socks,
        headers);
  }

  private static List<InetAddress> lookup(String name) throws UnknownHostException {
    if (name.equals("never.test")) {
      return List.of(InetAddress.getByName("127.66.0.1"));
    }
    if (name.endsWith(".test")) {
      return List.of(InetAddress.getByName(HOSTS));
    }
    if (Character.isDigit(name.charAt(0))) {
      return List.of(InetAddress.getByName(name));
    }
    throw new UnknownHostException(name);
  }

  /** A connection of the guest. */
  Socket guest() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server().port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    open.add(socket);
    return socket;
  }

  /** A connection of the guest with TLS, which trusts one authority. */
  SSLSocket tlsGuest(String pem, String... protocols) throws Exception {
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
    Socket plain = guest();
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, NAME, plain.getPort(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Reads as many bytes; fewer when the other side ends before that. */
  static String read(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.ISO_8859_1);
  }

  /** Reads to the empty line after a head. */
  static String head(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder text = new StringBuilder();
    while (text.indexOf("\r\n\r\n") < 0) {
      int c = in.read();
      if (c < 0) {
        return text + "(end)";
      }
      text.append((char) c);
    }
    return text.toString();
  }

  /** Reads to the end; {@code (end)} is a clean one, {@code (broken)} a reset or an alert. */
  static String rest(Socket socket) {
    StringBuilder text = new StringBuilder();
    byte[] buffer = new byte[64 << 10];
    try {
      InputStream in = socket.getInputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        text.append(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
      }
      return text + "(end)";
    } catch (java.net.SocketTimeoutException e) {
      return text + "(silence)";
    } catch (IOException e) {
      return text + "(broken)";
    }
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }
}
