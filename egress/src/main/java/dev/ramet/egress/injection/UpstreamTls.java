// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.stream.EventLoops;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS with upstreams. An upstream must present a certificate for its name from an authority that
 * this host's Java or the operator trusts. Thread-safe.
 */
public final class UpstreamTls {
  private static final String[] PROTOCOLS = {"http/1.1"};

  private final SSLContext context;

  /**
   * Reads the trusted authorities.
   *
   * @param authorities a PEM file of additional authorities, or null
   * @throws RametException {@code INVALID_ARGUMENT} if the file contains none
   */
  public UpstreamTls(@Nullable Path authorities) {
    try {
      context = SSLContext.getInstance("TLS");
      context.init(null, authorities == null ? null : trustManagers(authorities), null);
    } catch (GeneralSecurityException | IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "Java trusts no certificate authorities: " + e.getMessage(), e);
    }
  }

  private static TrustManager[] trustManagers(Path file)
      throws GeneralSecurityException, IOException {
    KeyStore all = KeyStore.getInstance("PKCS12");
    all.load(null, null);
    int count = 0;
    for (X509Certificate one : defaultAuthorities()) {
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

  private static X509Certificate[] defaultAuthorities() throws GeneralSecurityException {
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
      why = "it contains no certificate in PEM form";
    } catch (IOException | GeneralSecurityException e) {
      why = e.toString();
    }
    throw RametException.invalid(
        "ramet.outbound-authorities", "cannot be read: " + file + ": " + why);
  }

  /**
   * Starts TLS on a connection to an upstream. The handshake fails unless the upstream presents a
   * trusted certificate for the name.
   *
   * @param channel a connected channel; the TLS handler is put before its handlers
   * @param name the name that the certificate must be for
   */
  SslHandler start(Channel channel, String name) {
    SSLEngine engine = context.createSSLEngine(name, 0);
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setApplicationProtocols(PROTOCOLS);
    engine.setSSLParameters(parameters);
    SslHandler handler = new SslHandler(engine, EventLoops.blocking());
    handler.setHandshakeTimeoutMillis(GuestTls.HANDSHAKE_MILLIS);
    channel.pipeline().addFirst(handler);
    channel.read();
    return handler;
  }
}
