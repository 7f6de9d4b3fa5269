// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.TestHost;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A server with TLS and a self-issued certificate, and clients that trust it. */
final class TlsHost implements AutoCloseable {
  final TestHost host;
  final Path ca;

  TlsHost(Path root, Map<String, Object> more) {
    this(root, more, root.resolve("tls/ca.pem"));
  }

  /** Creates a server with a given certificate. */
  TlsHost(Path root, Map<String, Object> more, Path ca) {
    Map<String, Object> all = new HashMap<>(more);
    all.put("ramet.tls", "ON");
    all.put("ramet.data-root", root.toString());
    host = new TestHost(all);
    this.ca = ca;
  }

  static SSLContext trusting(Path ca) throws IOException, GeneralSecurityException {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    try (InputStream in = Files.newInputStream(ca)) {
      trust.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trust);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  HttpClient client(HttpClient.Version version) throws IOException, GeneralSecurityException {
    return HttpClient.newBuilder()
        .sslContext(trusting(ca))
        .version(version)
        .connectTimeout(Duration.ofSeconds(10))
        .build();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + host.port() + path))
        .timeout(Duration.ofSeconds(30));
  }

  /** Sends a request; fails unless the response has the client's HTTP version. */
  HttpResponse<String> send(HttpClient client, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
    if (answer.version() != client.version()) {
      throw new IOException("answered by " + answer.version());
    }
    return answer;
  }

  /** Creates a sandbox whose agent port leads to this guest, and returns its id. */
  String sandbox(Guest guest) throws IOException, InterruptedException, GeneralSecurityException {
    HttpResponse<String> made =
        send(
            client(HttpClient.Version.HTTP_2),
            request("/sandboxes")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"templateID\":\"base\"}")));
    String id = made.body().replaceAll(".*\"sandboxID\":\"([^\"]+)\".*", "$1");
    host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
    return id;
  }

  /** Opens an HTTP/1.1 connection with TLS. */
  Http connect() throws IOException, GeneralSecurityException {
    SSLSocket socket =
        (SSLSocket)
            trusting(ca)
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), host.port());
    socket.setSoTimeout(20_000);
    return new Http(socket);
  }

  @Override
  public void close() {
    host.close();
  }
}
