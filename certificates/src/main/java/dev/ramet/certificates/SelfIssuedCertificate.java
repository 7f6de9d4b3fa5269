// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.AtomicFile;
import dev.ramet.files.ProcessLock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that a host issues to itself, in {@value #DIRECTORY} within its data root. The
 * host's own authority signs it. That authority is created once and valid for ten years. Clients
 * trust the authority, so they need nothing new when the certificate is replaced because it expires
 * soon or its names have changed. Thread-safe; hosts on one data root wait for each other.
 */
public final class SelfIssuedCertificate {
  /** The directory of its files within a data root. */
  public static final String DIRECTORY = "tls";

  /** File name of the authority's certificate, which every client may copy. */
  public static final String AUTHORITY = "ca.pem";

  static final String AUTHORITY_KEY = "authority.pem";
  static final String HOST = "host.pem";

  private static final Duration AUTHORITY_VALIDITY = Duration.ofDays(3650);

  /**
   * The longest period that browsers and phones accept from an authority that was added by hand.
   */
  private static final Duration VALIDITY = Duration.ofDays(397);

  /** How long before its expiry a certificate is replaced. */
  private static final Duration RENEWAL_MARGIN = Duration.ofDays(30);

  private static final System.Logger LOG = System.getLogger(SelfIssuedCertificate.class.getName());

  private final Path directory;
  private final SubjectNames names;

  public SelfIssuedCertificate(Path dataRoot, SubjectNames names) {
    this.directory = dataRoot.resolve(DIRECTORY).toAbsolutePath();
    this.names = names;
  }

  /** Returns the file that holds certificate and key. */
  public Path file() {
    return directory.resolve(HOST);
  }

  /** Returns whether a certificate must be replaced now. */
  public static boolean expiresSoon(TlsIdentity identity) {
    return Instant.now().plus(RENEWAL_MARGIN).isAfter(identity.expiry());
  }

  /**
   * Issues the certificate and the authority where one is missing, does not fit or expires soon;
   * otherwise does nothing.
   *
   * @throws RametException {@code CORRUPT} when the authority's file cannot be parsed
   */
  public void prepare() {
    try {
      Files.createDirectories(directory);
      try (ProcessLock lock = new ProcessLock(directory.resolve("lock"))) {
        removeObsoleteStores();
        TlsIdentity authority = authority();
        if (authority == null || !isValid(authority)) {
          make(authority);
        }
        publish();
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.INTERNAL,
          "cannot store the host's certificate in " + directory + ": " + e,
          "free space there and let the host's user write, or set a certificate with "
              + TlsIdentity.CERTIFICATE_SETTING,
          e);
    }
  }

  /** Returns the authority, or null when there is none or it expires soon. */
  private @Nullable TlsIdentity authority() {
    Path file = directory.resolve(AUTHORITY_KEY);
    if (!Files.exists(file)) {
      return null;
    }
    TlsIdentity authority;
    try {
      authority = new TlsIdentity(Pem.certificates(file), Pem.key(file));
    } catch (PemException e) {
      throw corrupt("" + e.getMessage());
    }
    if (!TlsIdentity.isKeyPair(authority.chain().get(0).getPublicKey(), authority.key())) {
      throw corrupt("holds a key that is not its certificate's: " + file);
    }
    if (expiresSoon(authority)) {
      LOG.log(
          WARNING,
          "the host''s authority expires on {0} and was replaced: clients need the new {1}",
          authority.expiry(),
          directory.resolve(AUTHORITY));
      return null;
    }
    return authority;
  }

  private RametException corrupt(String why) {
    return new RametException(
        ErrorCode.CORRUPT,
        "cannot understand the authority of the host's certificate: " + AUTHORITY_KEY + " " + why,
        "restore the file; or remove "
            + directory
            + " and give clients the new "
            + AUTHORITY
            + " after the next start",
        null);
  }

  /**
   * Returns whether the host's certificate is signed by the authority, does not expire soon, and
   * has the current names.
   */
  private boolean isValid(TlsIdentity authority) throws IOException {
    TlsIdentity host = TlsIdentity.read(file(), file(), (setting, problem) -> {});
    return host != null
        && !expiresSoon(host)
        && TlsIdentity.isIssuedBy(host.chain().get(0), authority.chain().get(0))
        && Files.readString(file()).startsWith(header());
  }

  private String header() {
    return "Made by Ramet for " + names.extension() + "\n";
  }

  private void make(@Nullable TlsIdentity authority) throws IOException {
    Issued signer;
    if (authority == null) {
      String where = SubjectNames.hostName().replaceAll("[^A-Za-z0-9.-]", "");
      signer =
          Certificates.authority(
              "Ramet on " + where.substring(0, Math.min(40, where.length())), AUTHORITY_VALIDITY);
      write(AUTHORITY_KEY, "", signer);
    } else {
      signer = new Issued(authority.chain(), authority.key());
    }
    write(
        HOST,
        header(),
        Certificates.host(signer, "Ramet", names.dns(), names.addresses(), VALIDITY));
    LOG.log(INFO, "made a certificate for {0}", names.extension());
  }

  private void write(String name, String heading, Issued identity) throws IOException {
    String text =
        identity.chain().stream()
            .map(Pem::encode)
            .collect(Collectors.joining("", heading + Pem.encode(identity.key()), ""));
    AtomicFile.write(
        directory.resolve(name), text.getBytes(StandardCharsets.US_ASCII), AtomicFile.OWNER_ONLY);
  }

  /**
   * Writes the authority's certificate without its key. Repairs that file after a crash or a manual
   * change as well.
   */
  private void publish() throws IOException {
    X509Certificate certificate;
    try {
      certificate = Pem.certificates(directory.resolve(AUTHORITY_KEY)).get(0);
    } catch (PemException e) {
      throw corrupt("" + e.getMessage());
    }
    Path file = directory.resolve(AUTHORITY);
    String text = Pem.encode(certificate);
    if (!text.equals(readText(file))) {
      AtomicFile.write(file, text.getBytes(StandardCharsets.US_ASCII), AtomicFile.OWNER_ONLY);
    }
  }

  private static @Nullable String readText(Path file) throws IOException {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Deletes the leftovers of killed runs of earlier versions: useless stores with keys. */
  private void removeObsoleteStores() throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "making*")) {
      for (Path one : found) {
        remove(one);
      }
    }
  }

  private static void remove(Path work) throws IOException {
    try (DirectoryStream<Path> inside = Files.newDirectoryStream(work)) {
      for (Path one : inside) {
        Files.delete(one);
      }
    }
    Files.delete(work);
  }
}
