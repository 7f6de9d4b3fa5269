// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/**
 * Issues certificates (RFC 5280), each with a new key on the curve P-256. Java has no library call
 * for it, and running keytool takes a second, which is too long for a connection that waits.
 * Thread-safe.
 */
public final class Certificates {
  private static final String SIGNATURE = "SHA256withECDSA";
  private static final byte[] ALGORITHM = Der.sequence(Der.oid("1.2.840.10045.4.3.2"));
  private static final String COMMON_NAME = "2.5.4.3";
  private static final String SUBJECT_KEY = "2.5.29.14";
  private static final String KEY_USAGE = "2.5.29.15";
  private static final String NAMES = "2.5.29.17";
  private static final String CONSTRAINTS = "2.5.29.19";
  private static final String AUTHORITY_KEY = "2.5.29.35";
  private static final String PURPOSES = "2.5.29.37";
  private static final String SERVER = "1.3.6.1.5.5.7.3.1";
  private static final int DNS_NAME = 2;
  private static final int ADDRESS = 7;
  private static final int SERIAL_BITS = 127;
  private static final int LINE = 64;

  /** Backdates certificates, so that clients whose clock is behind accept them. */
  private static final Duration BEFORE = Duration.ofDays(1);

  private static final SecureRandom RANDOM = new SecureRandom();

  private Certificates() {}

  /**
   * Issues a self-signed authority that may sign host certificates only.
   *
   * @param name its common name, at most 64 characters
   * @param life period of validity from now
   */
  public static Issued authority(String name, Duration life) {
    KeyPair pair = newKeyPair();
    byte[] own = name(name);
    byte[] extensions =
        Der.sequence(
            // An authority that cannot sign other authorities.
            extension(
                CONSTRAINTS, true, Der.sequence(Der.booleanTrue(), Der.integer(BigInteger.ZERO))),
            // keyCertSign and cRLSign.
            extension(KEY_USAGE, true, Der.bitString(0x06, 1)),
            subjectKey(pair.getPublic()),
            authorityKey(pair.getPublic()));
    X509Certificate made = sign(own, pair.getPrivate(), own, pair.getPublic(), life, extensions);
    return new Issued(List.of(made), pair.getPrivate());
  }

  /**
   * Issues a host's certificate.
   *
   * @param authority the authority that signs it
   * @param name its common name; clients check the names and addresses instead
   * @param dns DNS names it is valid for, which may be wildcards
   * @param addresses IP addresses it is valid for, of 4 or 16 bytes
   * @param life period of validity from now
   */
  public static Issued host(
      Issued authority,
      String name,
      Collection<String> dns,
      Collection<byte[]> addresses,
      Duration life) {
    KeyPair pair = newKeyPair();
    List<byte[]> names = new ArrayList<>();
    for (String one : dns) {
      names.add(Der.encode(Der.CONTEXT | DNS_NAME, one.getBytes(StandardCharsets.US_ASCII)));
    }
    for (byte[] one : addresses) {
      names.add(Der.encode(Der.CONTEXT | ADDRESS, one));
    }
    byte[] extensions =
        Der.sequence(
            extension(CONSTRAINTS, true, Der.sequence()),
            // digitalSignature.
            extension(KEY_USAGE, true, Der.bitString(0x80, 7)),
            extension(PURPOSES, false, Der.sequence(Der.oid(SERVER))),
            extension(NAMES, false, Der.sequence(names.toArray(new byte[0][]))),
            subjectKey(pair.getPublic()),
            authorityKey(authority.certificate().getPublicKey()));
    byte[] issuer = authority.certificate().getSubjectX500Principal().getEncoded();
    X509Certificate made =
        sign(issuer, authority.key(), name(name), pair.getPublic(), life, extensions);
    return new Issued(List.of(made, authority.certificate()), pair.getPrivate());
  }

  /** Returns a certificate in PEM form (RFC 7468). */
  public static String pem(X509Certificate certificate) {
    try {
      String body =
          Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(certificate.getEncoded());
      return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static KeyPair newKeyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java has no keys on P-256", e);
    }
  }

  private static byte[] name(String name) {
    return Der.sequence(Der.encode(Der.SET, Der.sequence(Der.oid(COMMON_NAME), Der.utf8(name))));
  }

  private static byte[] extension(String oid, boolean critical, byte[] value) {
    byte[] content = Der.encode(Der.OCTET_STRING, value);
    return critical
        ? Der.sequence(Der.oid(oid), Der.booleanTrue(), content)
        : Der.sequence(Der.oid(oid), content);
  }

  private static byte[] subjectKey(PublicKey key) {
    return extension(SUBJECT_KEY, false, Der.encode(Der.OCTET_STRING, identifier(key)));
  }

  private static byte[] authorityKey(PublicKey key) {
    return extension(AUTHORITY_KEY, false, Der.sequence(Der.encode(Der.CONTEXT, identifier(key))));
  }

  /** Returns the identifier of a key; any digest of it may be used (RFC 5280, 4.2.1.2). */
  private static byte[] identifier(PublicKey key) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
      return java.util.Arrays.copyOf(digest, 20);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static X509Certificate sign(
      byte[] issuer,
      PrivateKey signer,
      byte[] subject,
      PublicKey key,
      Duration life,
      byte[] extensions) {
    Instant now = Instant.now();
    byte[] content =
        Der.sequence(
            // Version 3.
            Der.encode(Der.CONSTRUCTED_CONTEXT, Der.integer(BigInteger.TWO)),
            Der.integer(new BigInteger(SERIAL_BITS, RANDOM).setBit(SERIAL_BITS - 1)),
            ALGORITHM,
            issuer,
            Der.sequence(Der.time(now.minus(BEFORE)), Der.time(now.plus(life))),
            subject,
            key.getEncoded(),
            Der.encode(Der.CONSTRUCTED_CONTEXT | 3, extensions));
    try {
      Signature signature = Signature.getInstance(SIGNATURE);
      signature.initSign(signer, RANDOM);
      signature.update(content);
      byte[] whole = Der.sequence(content, ALGORITHM, Der.bitString(signature.sign()));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(whole));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "a certificate cannot be signed with " + signer.getAlgorithm(), e);
    }
  }
}
