// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CertificatesTest {
  private static final byte[] ADDRESS = {(byte) 192, 0, 2, 7};

  @Test
  void anAuthoritySignsHosts() throws Exception {
    Issued authority = Certificates.authority("Ramet of a test", Duration.ofDays(3650));
    Issued host =
        Certificates.host(
            authority,
            "Ramet",
            List.of("api.example.org", "*.example.net"),
            List.of(ADDRESS, new byte[16]),
            Duration.ofDays(60));
    X509Certificate own = host.certificate();
    assertEquals(
        "[[2, api.example.org], [2, *.example.net], [7, 192.0.2.7], [7, 0:0:0:0:0:0:0:0]]",
        own.getSubjectAlternativeNames().toString());
    assertEquals(-1, own.getBasicConstraints());
    assertEquals(0, authority.certificate().getBasicConstraints());
    assertTrue(own.getKeyUsage()[0], "digitalSignature");
    assertFalse(own.getKeyUsage()[5]);
    assertTrue(authority.certificate().getKeyUsage()[5], "keyCertSign");
    assertTrue(authority.certificate().getKeyUsage()[6], "cRLSign");
    assertEquals(List.of("1.3.6.1.5.5.7.3.1"), own.getExtendedKeyUsage());
    assertEquals(
        Set.of("2.5.29.15", "2.5.29.19"), own.getCriticalExtensionOIDs(), "which others must know");
    byte[] subjectKey = authority.certificate().getExtensionValue("2.5.29.14");
    byte[] authorityKey = own.getExtensionValue("2.5.29.35");
    assertArrayEquals(
        java.util.Arrays.copyOfRange(subjectKey, subjectKey.length - 20, subjectKey.length),
        java.util.Arrays.copyOfRange(authorityKey, authorityKey.length - 20, authorityKey.length));
    assertTrue(own.getNotBefore().toInstant().isBefore(Instant.now()));
    own.checkValidity();

    PKIXParameters trust =
        new PKIXParameters(Set.of(new TrustAnchor(authority.certificate(), null)));
    trust.setRevocationEnabled(false);
    CertPathValidator.getInstance("PKIX")
        .validate(CertificateFactory.getInstance("X.509").generateCertPath(List.of(own)), trust);
  }

  @Test
  void nothingIsUsedTwice() {
    Issued one = Certificates.authority("a", Duration.ofDays(36500));
    Issued other = Certificates.authority("a", Duration.ofDays(36500));
    assertNotEquals(one.certificate().getSerialNumber(), other.certificate().getSerialNumber());
    assertNotEquals(one.certificate().getPublicKey(), other.certificate().getPublicKey());
    assertTrue(one.certificate().getNotAfter().toInstant().isAfter(Instant.now()));
    assertEquals("CN=a", one.toString());
    assertTrue(Certificates.pem(one.certificate()).endsWith("-----END CERTIFICATE-----\n"));
  }
}
