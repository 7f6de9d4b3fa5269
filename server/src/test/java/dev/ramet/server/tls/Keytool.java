// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.certificates.TlsIdentity;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Creates certificates with keytool, which is part of every Java installation. Neither the JDK nor
 * Netty has a library call that creates a certificate with host names, signed by another one,
 * without a further library. The tool works on a store in a directory that only this user can read;
 * the store's password, which the tool requires, is lost with this object. Used by one thread.
 */
final class Keytool {
  private static final long LIMIT_SECONDS = 120;
  private static final int MESSAGE_BYTES = 4096;

  /** Backdates certificates, so that clients whose clock is behind accept them. */
  private static final String START = "-1d";

  private final Path store;
  private final String password = UUID.randomUUID().toString();

  /** Creates a store in a directory that others cannot read. */
  Keytool(Path directory) {
    this.store = directory.resolve("store");
  }

  /**
   * Creates a key and its certificate.
   *
   * @param alias its name in the store
   * @param subject the subject of the certificate
   * @param validity period of validity from now
   * @param extensions options for extensions of the certificate, and {@code -signer} with an alias
   */
  void make(String alias, String subject, Duration validity, String... extensions)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                alias,
                "-dname",
                subject,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-sigalg",
                "SHA256withECDSA",
                "-startdate",
                START,
                "-validity",
                "" + (validity.toDays() + 1),
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass:env",
                "STOREPASS"));
    command.addAll(Arrays.asList(extensions));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("STOREPASS", password);
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      throw failed("cannot be run", e);
    }
    try {
      process.getOutputStream().close();
      String said;
      try (InputStream out = process.getInputStream()) {
        said = new String(out.readNBytes(MESSAGE_BYTES), StandardCharsets.UTF_8).strip();
      }
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw failed("does not end", null);
      }
      if (process.exitValue() != 0) {
        throw failed("said: " + said, null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("was interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static RametException failed(
      String why, @org.jspecify.annotations.Nullable Throwable cause) {
    return new RametException(
        ErrorCode.INTERNAL,
        "cannot make a certificate: keytool of this Java " + why,
        "set a certificate with "
            + TlsIdentity.CERTIFICATE_SETTING
            + " and "
            + TlsIdentity.KEY_SETTING
            + ", or install a Java that has bin/keytool",
        cause);
  }

  /** Adds a key, for {@code -signer}. */
  void put(String alias, TlsIdentity identity) throws IOException {
    try {
      KeyStore filled = KeyStore.getInstance("PKCS12");
      filled.load(null, null);
      filled.setKeyEntry(
          alias,
          identity.key(),
          password.toCharArray(),
          identity.chain().toArray(new Certificate[0]));
      try (OutputStream out = Files.newOutputStream(store)) {
        filled.store(out, password.toCharArray());
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a certificate of this host's cannot be stored", e);
    }
  }

  /** Returns a created identity. */
  TlsIdentity get(String alias) throws IOException {
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore filled = KeyStore.getInstance("PKCS12");
      filled.load(in, password.toCharArray());
      List<X509Certificate> chain = new ArrayList<>();
      for (Certificate one : filled.getCertificateChain(alias)) {
        chain.add((X509Certificate) one);
      }
      return new TlsIdentity(
          List.copyOf(chain), (PrivateKey) filled.getKey(alias, password.toCharArray()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a certificate that was made cannot be read", e);
    }
  }
}
