// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests TLS with hosts whose certificates are not from a public authority. */
@Timeout(900)
class TrustTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path directory;

  private Path keytool(String name, String alias, String... options) throws Exception {
    Path store = directory.resolve(name + ".p12");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + alias,
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD)));
    command.addAll(Arrays.asList(options));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    assertEquals(0, process.waitFor());
    return store;
  }

  /** Starts a host with a new certificate, and writes its authority to {@code NAME.pem}. */
  private HttpServer host(String name, String... options) throws Exception {
    Path store = keytool(name, "x", options);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    Certificate[] chain = keys.getCertificateChain("x");
    Files.writeString(
        directory.resolve(name + ".pem"),
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(chain[chain.length - 1].getEncoded())
            + "\n-----END CERTIFICATE-----\n");
    keys.deleteEntry("authority"); // or the server might present that one
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    HttpsServer server = HttpsServer.create(local(), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext(
        "/",
        exchange -> {
          byte[] none = "[]".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, none.length);
          exchange.getResponseBody().write(none);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static Settings settings(HttpServer host) {
    return Settings.of(URI.create("https://localhost:" + host.getAddress().getPort()));
  }

  private static RametException refused(Settings settings) {
    try (Ramet ramet = Ramet.connect(settings)) {
      return assertThrows(RametException.class, ramet::snapshots);
    }
  }

  @Test
  void theAuthorityThatWasNamedIsTrustedAndNoOther() throws Exception {
    HttpServer host = host("a", "-ext", "san=dns:localhost");
    HttpServer other = host("b", "-ext", "san=dns:elsewhere");
    keytool("c", "authority", "-ext", "bc=ca:true");
    HttpServer old =
        host(
            "c",
            "-signer",
            "authority",
            "-ext",
            "san=dns:localhost",
            "-startdate",
            "-9d",
            "-validity",
            "2");
    try {
      Settings settings = settings(host);
      try (Ramet ramet = Ramet.connect(settings.withAuthority(directory.resolve("a.pem")))) {
        assertEquals(List.of(), ramet.snapshots());
      }
      RametException strange = refused(settings);
      assertEquals(ErrorCode.UNAVAILABLE, strange.code());
      assertTrue(("" + strange.getMessage()).contains("not trusted"), strange.getMessage());
      assertTrue(("" + strange.remedy()).contains("withAuthority"), strange.remedy());
      RametException wrong = refused(settings.withAuthority(directory.resolve("b.pem")));
      assertTrue(("" + wrong.getMessage()).contains("not trusted"), wrong.getMessage());
      RametException names = refused(settings(other).withAuthority(directory.resolve("b.pem")));
      assertTrue(("" + names.getMessage()).contains("other names"), names.getMessage());
      RametException expired = refused(settings(old).withAuthority(directory.resolve("c.pem")));
      assertTrue(("" + expired.getMessage()).contains("has expired"), expired.getMessage());
    } finally {
      for (HttpServer one : List.of(host, other, old)) {
        one.stop(0);
      }
    }
  }

  private static InetSocketAddress local() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  @Test
  void aFileThatIsNoAuthorityIsRefusedAtOnce() throws Exception {
    Settings settings = Settings.of(URI.create("https://localhost:1"));
    Path text = Files.writeString(directory.resolve("text"), "no certificate");
    for (Path file : List.of(text, directory.resolve("none"), directory)) {
      RametException refused =
          assertThrows(
              RametException.class, () -> Ramet.connect(settings.withAuthority(file)).close());
      assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
      assertTrue(("" + refused.getMessage()).contains("" + file), refused.getMessage());
    }
  }
}
