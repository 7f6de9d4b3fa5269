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
 * A certificate that a host makes for itself, in {@value #DIRECTORY} below its data root. An
 * authority of its own signs it, made once for ten years: clients trust that one, so that they need
 * nothing new when the certificate is made again, because it ends soon or its names have changed.
 * Thread-safe; hosts on one data root wait for each other.
 */
public final class SelfIssuedCertificate {
  /** Its directory below a data root. */
  public static final String DIRECTORY = "tls";

  /** The authority's certificate there, of which every client may have a copy. */
  public static final String AUTHORITY = "ca.pem";

  static final String AUTHORITY_KEY = "authority.pem";
  static final String HOST = "host.pem";

  private static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);

  /** What browsers and phones take at most from an authority that was added by hand. */
  private static final Duration LIFE = Duration.ofDays(397);

  /** How long before its end a certificate is replaced. */
  private static final Duration SPARE = Duration.ofDays(30);

  private static final System.Logger LOG = System.getLogger(SelfIssuedCertificate.class.getName());

  private final Path directory;
  private final SubjectNames names;

  public SelfIssuedCertificate(Path dataRoot, SubjectNames names) {
    this.directory = dataRoot.resolve(DIRECTORY).toAbsolutePath();
    this.names = names;
  }

  /** The file of certificate and key. */
  public Path file() {
    return directory.resolve(HOST);
  }

  /** Whether a certificate is to be replaced by now. */
  public static boolean endsSoon(TlsIdentity identity) {
    return Instant.now().plus(SPARE).isAfter(identity.end());
  }

  /**
   * Makes what is missing, does not fit or ends soon; nothing when all is there.
   *
   * @throws RametException {@code CORRUPT} when the authority's file cannot be understood
   */
  public void prepare() {
    try {
      Files.createDirectories(directory);
      try (ProcessLock lock = new ProcessLock(directory.resolve("lock"))) {
        removeLeftOvers();
        TlsIdentity authority = authority();
        if (authority == null || !isGood(authority)) {
          make(authority);
        }
        publish();
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.INTERNAL,
          "cannot keep the host's certificate in " + directory + ": " + e,
          "make room there and let the host's user write, or give a certificate by "
              + TlsIdentity.CERTIFICATE_SETTING,
          e);
    }
  }

  /** The authority, or null when there is none that lasts. */
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
    if (!TlsIdentity.belong(authority.chain().get(0).getPublicKey(), authority.key())) {
      throw corrupt("holds a key that is not its certificate's: " + file);
    }
    if (endsSoon(authority)) {
      LOG.log(
          WARNING,
          "the host''s authority ends on {0} and is replaced: clients need the new {1}",
          authority.end(),
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
            + ", and give clients the new "
            + AUTHORITY
            + " after the next start",
        null);
  }

  /** Whether the host's certificate is the authority's, lasts, and has these names. */
  private boolean isGood(TlsIdentity authority) throws IOException {
    TlsIdentity host = TlsIdentity.read(file(), file(), (setting, problem) -> {});
    return host != null
        && !endsSoon(host)
        && TlsIdentity.isIssuedBy(host.chain().get(0), authority.chain().get(0))
        && Files.readString(file()).startsWith(heading());
  }

  private String heading() {
    return "Made by Ramet for " + names.extension() + "\n";
  }

  private void make(@Nullable TlsIdentity authority) throws IOException {
    Issued signer;
    if (authority == null) {
      String where = SubjectNames.hostName().replaceAll("[^A-Za-z0-9.-]", "");
      signer =
          Certificates.authority(
              "Ramet on " + where.substring(0, Math.min(40, where.length())), AUTHORITY_LIFE);
      write(AUTHORITY_KEY, "", signer);
    } else {
      signer = new Issued(authority.chain(), authority.key());
    }
    write(
        HOST, heading(), Certificates.host(signer, "Ramet", names.dns(), names.addresses(), LIFE));
    LOG.log(INFO, "made a certificate for {0}", names.extension());
  }

  private void write(String name, String heading, Issued identity) throws IOException {
    String text =
        identity.chain().stream()
            .map(Pem::text)
            .collect(Collectors.joining("", heading + Pem.text(identity.key()), ""));
    AtomicFile.write(
        directory.resolve(name), text.getBytes(StandardCharsets.US_ASCII), AtomicFile.OWNER_ONLY);
  }

  /** The authority's certificate without its key, after a crash or a hand's change as well. */
  private void publish() throws IOException {
    X509Certificate certificate;
    try {
      certificate = Pem.certificates(directory.resolve(AUTHORITY_KEY)).get(0);
    } catch (PemException e) {
      throw corrupt("" + e.getMessage());
    }
    Path file = directory.resolve(AUTHORITY);
    String text = Pem.text(certificate);
    if (!text.equals(textOf(file))) {
      AtomicFile.write(file, text.getBytes(StandardCharsets.US_ASCII), AtomicFile.OWNER_ONLY);
    }
  }

  private static @Nullable String textOf(Path file) throws IOException {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** What a run of an earlier version left that was killed: a store with keys, of no use. */
  private void removeLeftOvers() throws IOException {
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
