// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The certificate authority of a data root that signs certificates for the upstream hosts of
 * guests' requests. Only guests trust it, and only those whose requests need it. It is created at
 * first use, its key is readable for the host's user only, and it is valid for ten years.
 * Certificates are issued at the first connection to a name and discarded some days later.
 * Thread-safe.
 */
public final class GuestAuthority {
  /** The name of its file within a data root. */
  public static final String NAME = "guest-authority.json";

  private static final Duration LIFE = Duration.ofDays(3650);

  /** How long before its expiry it is replaced. */
  private static final Duration SPARE = Duration.ofDays(90);

  private static final Duration HOST_LIFE = Duration.ofDays(60);
  private static final Duration KEPT = Duration.ofDays(14);
  private static final int MAX_KEPT = 2000;

  private final Path file;
  private final Cache<String, SSLContext> contexts =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterWrite(KEPT).build();
  private @Nullable Issued known;

  /**
   * Opens the authority of a data root.
   *
   * @param dataRoot a directory; the file need not exist
   */
  public GuestAuthority(Path dataRoot) {
    this.file = dataRoot.resolve(NAME);
  }

  /** Returns its certificate in PEM form, for guests to trust. */
  public String pem() {
    return Certificates.pem(issued().certificate());
  }

  /**
   * Returns a TLS context with a certificate for a host name. Issues the certificate once, even if
   * several threads ask for it at the same time.
   *
   * @param name a valid host name
   */
  public SSLContext context(String name) {
    return contexts.get(name, this::newContext);
  }

  private SSLContext newContext(String name) {
    Issued host = Certificates.host(issued(), "Ramet", List.of(name), List.of(), HOST_LIFE);
    try {
      char[] none = new char[0];
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("host", host.key(), none, host.chain().toArray(new Certificate[0]));
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, none);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("a certificate that was made cannot be used", e);
    }
  }

  private synchronized Issued issued() {
    Issued found = known;
    if (found == null) {
      found = read();
      if (found == null) {
        found = newAuthority();
      }
      known = found;
    }
    return found;
  }

  private Issued newAuthority() {
    Issued made = Certificates.authority("Ramet, for requests of guests", LIFE);
    try {
      AuthorityRecord record =
          new AuthorityRecord(
              AuthorityRecord.FORMAT,
              Base64.getEncoder().encodeToString(made.certificate().getEncoded()),
              Base64.getEncoder().encodeToString(made.key().getEncoded()));
      JsonFile.write(file, record, JsonFile.Care.DURABLE);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot store the authority for guests' requests in " + file + ": " + e.getMessage(),
          "free space there and let the host's user write",
          e);
    }
    return made;
  }

  private static byte[] decode(String base64) {
    return Base64.getDecoder().decode(base64);
  }

  /** Returns the stored authority, or null when there is none or it expires soon. */
  private @Nullable Issued read() {
    if (!Files.exists(file)) {
      return null;
    }
    try {
      AuthorityRecord record = JsonFile.read(file, AuthorityRecord.class);
      if (record.format() != AuthorityRecord.FORMAT) {
        throw new IOException("it has format " + record.format());
      }
      X509Certificate certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(decode(record.certificate())));
      Issued found =
          new Issued(
              List.of(certificate),
              KeyFactory.getInstance("EC")
                  .generatePrivate(new PKCS8EncodedKeySpec(decode(record.key()))));
      boolean lasts = Instant.now().plus(SPARE).isBefore(certificate.getNotAfter().toInstant());
      return lasts ? found : null;
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      // Omits the cause: its message could contain parts of the key.
      throw new RametException(
          ErrorCode.CORRUPT,
          "cannot understand the authority for guests' requests in " + file,
          "restore the file; or move it away, and guests get a new authority at their next start",
          null);
    }
  }
}
