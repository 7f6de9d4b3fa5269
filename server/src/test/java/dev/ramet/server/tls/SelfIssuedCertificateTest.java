// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.certificates.Pem;
import dev.ramet.certificates.PemException;
import dev.ramet.certificates.SelfIssuedCertificate;
import dev.ramet.certificates.SubjectNames;
import dev.ramet.certificates.TlsIdentity;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900)
class SelfIssuedCertificateTest {
  @TempDir private Path root;

  private SelfIssuedCertificate of(@Nullable String domain) {
    return new SelfIssuedCertificate(
        root, SubjectNames.of("192.0.2.7", domain, List.of("Ramet.Example.org")));
  }

  private Path file(String name) {
    return root.resolve("tls").resolve(name);
  }

  private X509Certificate certificate(String name) throws PemException {
    return Pem.certificates(file(name)).get(0);
  }

  private String all() throws IOException {
    try (Stream<Path> files = Files.list(root.resolve("tls"))) {
      StringBuilder text = new StringBuilder();
      for (Path file : files.sorted().toList()) {
        text.append(file.getFileName()).append('\n').append(Files.readString(file));
      }
      return text.toString();
    }
  }

  @Test
  void madeOnceAndForItsNames() throws Exception {
    of("box.test").prepare();
    String made = all();
    of("box.test").prepare();
    assertEquals(made, all());

    X509Certificate host = certificate("host.pem");
    Set<String> names = new TreeSet<>();
    for (List<?> name : host.getSubjectAlternativeNames()) {
      names.add("" + name.get(1));
    }
    assertTrue(
        names.containsAll(
            Set.of(
                "localhost",
                "127.0.0.1",
                "0:0:0:0:0:0:0:1",
                "192.0.2.7",
                "box.test",
                "*.box.test",
                "ramet.example.org")),
        "" + names);
    assertTrue(TlsIdentity.isIssuedBy(host, certificate("ca.pem")));
    assertEquals(-1, host.getBasicConstraints());
    assertEquals(0, certificate("ca.pem").getBasicConstraints());
    assertFalse(Files.readString(file("ca.pem")).contains("KEY"));
    for (var mode :
        java.util.Map.of(
                "ca.pem", "rw-------", "host.pem", "rw-------", "authority.pem", "rw-------")
            .entrySet()) {
      assertEquals(
          mode.getValue(),
          PosixFilePermissions.toString(Files.getPosixFilePermissions(file(mode.getKey()))));
    }
    assertEquals(
        Set.of("ca.pem", "host.pem", "authority.pem", "lock"),
        Stream.of(root.resolve("tls").toFile().list()).collect(Collectors.toSet()));
  }

  @Test
  void otherNamesAreGivenByTheSameAuthority() throws Exception {
    of(null).prepare();
    X509Certificate authority = certificate("ca.pem");
    X509Certificate before = certificate("host.pem");
    of("box.test").prepare();
    assertEquals(authority, certificate("ca.pem"));
    assertNotEquals(before, certificate("host.pem"));
    assertTrue(TlsIdentity.isIssuedBy(certificate("host.pem"), authority));
  }

  @Test
  void oneThatEndsSoonIsMadeAgain() throws Exception {
    SelfIssuedCertificate own = of(null);
    own.prepare();
    X509Certificate authority = certificate("ca.pem");
    Path work = Files.createDirectory(root.resolve("work"));
    Keytool keytool = new Keytool(work);
    Path key = file("authority.pem");
    keytool.put("a", new TlsIdentity(Pem.certificates(key), Pem.key(key)));
    keytool.make("h", "CN=short", Duration.ofDays(3), "-signer", "a");
    TlsIdentity brief = keytool.get("h");
    assertTrue(SelfIssuedCertificate.expiresSoon(brief));
    String heading = Files.readAllLines(file("host.pem")).get(0) + "\n";
    Files.writeString(
        file("host.pem"),
        heading
            + Pem.encode(brief.key())
            + Pem.encode(brief.chain().get(0))
            + Pem.encode(authority));
    own.prepare();
    assertEquals(authority, certificate("ca.pem"));
    assertEquals("CN=Ramet", certificate("host.pem").getSubjectX500Principal().getName());
  }

  @Test
  void whatACrashOrAHandLeftIsMended() throws Exception {
    SelfIssuedCertificate own = of(null);
    own.prepare();
    String made = all();
    Files.delete(file("ca.pem"));
    Path half = Files.createDirectory(file("making123"));
    Files.writeString(half.resolve("store"), "half");
    Files.writeString(file("host.pem.new"), "half");
    own.prepare();
    Files.delete(file("host.pem.new"));
    assertEquals(made, all());

    X509Certificate authority = certificate("ca.pem");
    for (String broken : new String[] {"", "-----BEGIN CERTIFICATE-----\nxx\n", "\0\1\2"}) {
      Files.writeString(file("host.pem"), broken);
      own.prepare();
      assertTrue(TlsIdentity.isIssuedBy(certificate("host.pem"), authority));
    }
    assertFalse(Files.exists(file("host.pem.new")));
  }

  /** Clients trust it, so it must not be replaced automatically. */
  @Test
  void aBrokenAuthorityIsNotReplaced() throws Exception {
    SelfIssuedCertificate own = of(null);
    own.prepare();
    Files.writeString(file("authority.pem"), "broken");
    String before = all();
    RametException refused = assertThrows(RametException.class, own::prepare);
    assertEquals(ErrorCode.CORRUPT, refused.code());
    assertTrue(("" + refused.remedy()).contains("ca.pem"), refused.remedy());
    assertEquals(before, all());
  }

  @Test
  void whereNothingCanBeWrittenTheRemedyIsSaid() throws Exception {
    Files.writeString(root.resolve("tls"), "a file");
    RametException refused = assertThrows(RametException.class, () -> of(null).prepare());
    assertTrue(("" + refused.remedy()).contains("ramet.tls-certificate"), refused.remedy());
  }

  @Test
  void twoAtOnceMakeOne() throws Exception {
    CompletableFuture<?>[] both =
        Stream.generate(() -> CompletableFuture.runAsync(() -> of(null).prepare()))
            .limit(2)
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(both).get();
    assertTrue(TlsIdentity.isIssuedBy(certificate("host.pem"), certificate("ca.pem")));
  }
}
