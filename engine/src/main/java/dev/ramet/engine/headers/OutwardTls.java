// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Speaks TLS with the hosts that guests ask, for them. A host must show a certificate for its name
 * from an authority that this host's Java trusts, or the operator. Thread-safe.
 */
public final class OutwardTls {
  private static final String[] PROTOCOLS = {"http/1.1"};

  private final SSLContext context;

  /**
   * Reads what is trusted.
   *
   * @param authorities a PEM file of more authorities, or null for none
   * @throws RametException {@code INVALID_ARGUMENT} for a file that holds none
   */
  public OutwardTls(@Nullable Path authorities) {
    try {
      context = SSLContext.getInstance("TLS");
      context.init(null, authorities == null ? null : with(authorities), null);
    } catch (GeneralSecurityException | IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "Java has no authorities that it trusts: " + e.getMessage(), e);
    }
  }

  private static TrustManager[] with(Path file) throws GeneralSecurityException, IOException {
    KeyStore all = KeyStore.getInstance("PKCS12");
    all.load(null, null);
    int count = 0;
    for (X509Certificate one : known()) {
      all.setCertificateEntry("known" + count++, one);
    }
    for (Certificate one : read(file)) {
      all.setCertificateEntry("operator" + count++, one);
    }
    TrustManagerFactory factory = factory();
    factory.init(all);
    return factory.getTrustManagers();
  }

  private static TrustManagerFactory factory() throws GeneralSecurityException {
    return TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
  }

  private static X509Certificate[] known() throws GeneralSecurityException {
    TrustManagerFactory factory = factory();
    factory.init((KeyStore) null);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509TrustManager x509) {
        return x509.getAcceptedIssuers();
      }
    }
    return new X509Certificate[0];
  }

  private static Collection<? extends Certificate> read(Path file) {
    String why;
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (!found.isEmpty()) {
        return found;
      }
      why = "it holds no certificate in PEM form";
    } catch (IOException | GeneralSecurityException e) {
      why = e.toString();
    }
    throw RametException.invalid(
        "ramet.outbound-authorities", "cannot be read: " + file + ": " + why);
  }

  /**
   * Shakes hands with a host.
   *
   * @param plain connected; closed with what is answered, and when this fails
   * @param name what its certificate must be for
   * @throws IOException when its certificate is none of that, or it does not speak TLS
   */
  SSLSocket connect(Socket plain, String name) throws IOException {
    try {
      SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket(plain, name, plain.getPort(), true);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      parameters.setApplicationProtocols(PROTOCOLS);
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return socket;
    } catch (IOException | RuntimeException e) {
      plain.close();
      throw e;
    }
  }
}
