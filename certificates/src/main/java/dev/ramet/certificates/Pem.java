// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes certificates and keys in PEM form (RFC 7468). Other text in a file is ignored.
 */
public final class Pem {
  private static final long MAX_BYTES = 1 << 20;
  private static final int LINE = 64;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String KEY = "PRIVATE KEY";

  private Pem() {}

  private record Block(String label, String text) {
    byte[] bytes() throws IllegalArgumentException {
      return Base64.getMimeDecoder().decode(text);
    }
  }

  /** Reads the certificates in a file, in their order; there must be at least one. */
  public static List<X509Certificate> certificates(Path file) throws PemException {
    List<X509Certificate> found = new ArrayList<>();
    for (Block block : blocks(file)) {
      if (block.label().equals(CERTIFICATE)) {
        try {
          found.add(
              (X509Certificate)
                  CertificateFactory.getInstance("X.509")
                      .generateCertificate(new ByteArrayInputStream(block.bytes())));
        } catch (CertificateException | IllegalArgumentException e) {
          throw new PemException("holds a certificate that cannot be read: " + file);
        }
      }
    }
    if (found.isEmpty()) {
      throw new PemException("holds no certificate in PEM form: " + file);
    }
    return List.copyOf(found);
  }

  /** Reads the private key in a file. */
  public static PrivateKey key(Path file) throws PemException {
    String other = null;
    for (Block block : blocks(file)) {
      if (block.label().equals(KEY)) {
        return key(file, block);
      } else if (block.label().endsWith(KEY)) {
        other = block.label();
      }
    }
    throw new PemException(
        other == null
            ? "holds no private key in PEM form: " + file
            : ("holds \"%s\" and must hold an unencrypted \"%s\"; to convert it: openssl pkcs8"
                    + " -topk8 -nocrypt -in %s -out FILE")
                .formatted(other, KEY, file));
  }

  private static PrivateKey key(Path file, Block block) throws PemException {
    for (String algorithm : new String[] {"RSA", "EC", "EdDSA"}) {
      try {
        return KeyFactory.getInstance(algorithm)
            .generatePrivate(new PKCS8EncodedKeySpec(block.bytes()));
      } catch (InvalidKeySpecException | IllegalArgumentException e) {
        // It is a key of another algorithm, or not a key.
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("Java has no " + algorithm, e);
      }
    }
    throw new PemException("holds a private key that is not RSA, EC or EdDSA: " + file);
  }

  private static List<Block> blocks(Path file) throws PemException {
    String text = read(file);
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), matcher.group(2)));
    }
    return blocks;
  }

  private static String read(Path file) throws PemException {
    try {
      if (Files.isDirectory(file)) {
        throw new PemException("is a directory: " + file);
      }
      if (Files.size(file) > MAX_BYTES) {
        throw new PemException("is too large to be PEM: " + file);
      }
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new PemException("names a file that does not exist: " + file);
    } catch (AccessDeniedException e) {
      throw new PemException("names a file that the host's user cannot read: " + file);
    } catch (IOException e) {
      throw new PemException("cannot be read: " + file + ": " + e.getMessage());
    }
  }

  public static String encode(PrivateKey key) {
    return encode(KEY, key.getEncoded());
  }

  public static String encode(X509Certificate certificate) {
    try {
      return encode(CERTIFICATE, certificate.getEncoded());
    } catch (CertificateException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static String encode(String label, byte[] bytes) {
    String body = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
  }
}
