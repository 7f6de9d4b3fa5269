// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.host;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS trust of clients: which certificate authorities they accept, and how they explain TLS
 * failures. Thread-safe.
 */
public final class HostTrust {
  /**
   * Path, within the data root, of the authority certificate of a host that issued its own
   * certificate.
   */
  public static final String AUTHORITY = "tls/ca.pem";

  private HostTrust() {}

  /**
   * Returns a TLS context that trusts the certificate authorities in a file, and no others.
   *
   * @param pem a file of certificates in PEM form
   * @return a context for the JDK's clients
   * @throws RametException INVALID_ARGUMENT when the file cannot be read or holds no certificate
   */
  public static SSLContext in(Path pem) {
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate one : certificates(pem)) {
        trusted.setCertificateEntry("authority" + trusted.size(), one);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw unusable(pem, "cannot be read: " + e, e);
    } catch (CertificateException e) {
      throw unusable(pem, "is not a certificate in PEM form", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java does not support TLS", e);
    }
  }

  private static Collection<? extends Certificate> certificates(Path pem)
      throws IOException, CertificateException {
    try (InputStream in = Files.newInputStream(pem)) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw new CertificateException("none");
      }
      return found;
    }
  }

  private static RametException unusable(Path pem, String why, Exception cause) {
    return new RametException(
        ErrorCode.INVALID_ARGUMENT,
        "the authorities to trust: " + pem + " " + why,
        "name a copy of " + AUTHORITY + " from the host's data root",
        cause);
  }

  /**
   * Explains a connection failure that was caused by TLS.
   *
   * @param host the host's address
   * @param failure the exception of the JDK's client
   * @return UNAVAILABLE with a remedy, or null when TLS was not the cause
   */
  public static @Nullable RametException explain(URI host, IOException failure) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      causes.add(t);
    }
    if (findCause(causes, CertificateExpiredException.class) != null) {
      return unavailable(
          "the certificate of " + host + " has expired, or this machine's clock is wrong",
          "have the host's operator replace it",
          failure);
    }
    if (findCause(causes, CertPathBuilderException.class) != null
        || findCause(causes, CertPathValidatorException.class) != null) {
      return unavailable(
          "the certificate of " + host + " was issued by an authority that is not trusted here",
          "if the host created it, copy "
              + AUTHORITY
              + " from its data root and name the copy: with RAMET_CA or --ca for commands, with"
              + " Settings.withAuthority in Java",
          failure);
    }
    Throwable certificate = findCause(causes, CertificateException.class);
    if (certificate != null) {
      return unavailable(
          "the certificate of " + host + " is for other names: " + certificate.getMessage(),
          "use one of its names, or have the host's operator add this one (ramet.tls-names)",
          failure);
    }
    Throwable tls = findCause(causes, SSLException.class);
    if (tls != null) {
      return unavailable(
          "no TLS with " + host + ": " + tls.getMessage(),
          "check whether the host speaks TLS; if not, its address begins with http://",
          failure);
    }
    return null;
  }

  private static @Nullable Throwable findCause(List<Throwable> causes, Class<?> type) {
    return causes.stream().filter(type::isInstance).findFirst().orElse(null);
  }

  private static RametException unavailable(String message, String remedy, IOException cause) {
    return new RametException(ErrorCode.UNAVAILABLE, message, remedy, cause);
  }
}
