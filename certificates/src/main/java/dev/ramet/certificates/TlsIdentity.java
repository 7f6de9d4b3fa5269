// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The TLS identity of a host: its certificate, the chain to its authority, and its private key.
 * Immutable and thread-safe.
 *
 * @param chain the host's own certificate first, each followed by its issuer's
 * @param key private key of the first certificate
 */
public record TlsIdentity(List<X509Certificate> chain, PrivateKey key) {
  private static final int DNS_NAME = 2;

  /** The setting that names the file of certificates. */
  public static final String CERTIFICATE_SETTING = "ramet.tls-certificate";

  /** The setting that names the file of the key. */
  public static final String KEY_SETTING = "ramet.tls-key";

  /**
   * Reads and checks files.
   *
   * @param problem receives every problem: the setting, and the rest of a sentence that begins with
   *     the setting's name
   * @return null when there was a problem
   */
  public static @Nullable TlsIdentity read(
      Path certificate, Path key, BiConsumer<String, String> problem) {
    List<X509Certificate> chain = null;
    PrivateKey secret = null;
    try {
      chain = requireValid(Pem.certificates(certificate), certificate);
    } catch (PemException e) {
      problem.accept(CERTIFICATE_SETTING, "" + e.getMessage());
    }
    try {
      secret = Pem.key(key);
    } catch (PemException e) {
      problem.accept(KEY_SETTING, "" + e.getMessage());
    }
    if (chain == null || secret == null) {
      return null;
    }
    if (!isKeyPair(chain.get(0).getPublicKey(), secret)) {
      problem.accept(
          KEY_SETTING, "is not the key of the certificate in " + certificate + ": " + key);
      return null;
    }
    return new TlsIdentity(chain, secret);
  }

  private static List<X509Certificate> requireValid(List<X509Certificate> chain, Path file)
      throws PemException {
    Instant now = Instant.now();
    for (X509Certificate one : chain) {
      String name = one.getSubjectX500Principal().getName();
      if (now.isAfter(one.getNotAfter().toInstant())) {
        throw new PemException(
            "has expired, on %s: %s in %s".formatted(one.getNotAfter().toInstant(), name, file));
      }
      if (now.isBefore(one.getNotBefore().toInstant())) {
        throw new PemException(
            "is not valid before %s: %s in %s"
                .formatted(one.getNotBefore().toInstant(), name, file));
      }
    }
    for (int i = 1; i < chain.size(); i++) {
      if (!isIssuedBy(chain.get(i - 1), chain.get(i))) {
        throw new PemException(
            ("must list the host's certificate first and then each certificate's issuer, but"
                    + " number %d did not issue number %d: %s")
                .formatted(i + 1, i, file));
      }
    }
    return chain;
  }

  /** Returns whether one certificate was signed with another's key. */
  public static boolean isIssuedBy(X509Certificate one, X509Certificate issuer) {
    try {
      one.verify(issuer.getPublicKey());
      return one.getIssuerX500Principal().equals(issuer.getSubjectX500Principal());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Returns whether a public and a private key belong together. */
  static boolean isKeyPair(PublicKey open, PrivateKey secret) {
    byte[] text = {1, 2, 3};
    String algorithm =
        switch (secret.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "EdDSA";
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(secret);
      signature.update(text);
      byte[] signed = signature.sign();
      signature.initVerify(open);
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // keys of different kinds
    }
  }

  /** Returns the expiry of the certificate that expires first. */
  Instant expiry() {
    return chain.stream().map(one -> one.getNotAfter().toInstant()).min(Instant::compareTo).get();
  }

  /**
   * Returns the DNS names that the host's own certificate is valid for, in lower case (RFC 5280,
   * 4.2.1.6).
   */
  public Set<String> names() {
    Set<String> names = new TreeSet<>();
    try {
      Collection<List<?>> all = chain.get(0).getSubjectAlternativeNames();
      for (List<?> one : all == null ? List.<List<?>>of() : all) {
        if (one.get(0) instanceof Integer kind && kind == DNS_NAME) {
          names.add(String.valueOf(one.get(1)).toLowerCase(Locale.ROOT));
        }
      }
    } catch (CertificateParsingException e) {
      return Set.of(); // clients reject such a certificate for any name
    }
    return names;
  }

  /** Returns a key store in memory, without a password. */
  public KeyStore keyStore() {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("host", key, null, chain.toArray(new Certificate[0]));
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("a certificate that was checked cannot be used", e);
    }
  }

  /** Returns subject and expiry, never the key. */
  @Override
  public String toString() {
    return chain.get(0).getSubjectX500Principal().getName() + " until " + expiry();
  }
}
