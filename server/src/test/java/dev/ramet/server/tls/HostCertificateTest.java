// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.errors.RametException;
import dev.ramet.spi.settings.Settings;
import io.micronaut.scheduling.ScheduledExecutorTaskScheduler;
import io.micronaut.scheduling.TaskScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Tests certificate files that are replaced while the host runs. */
@Timeout(900)
class HostCertificateTest {
  @TempDir private Path root;

  private void put(String name) throws IOException {
    for (String end : new String[] {".crt", ".key"}) {
      Path copy = Files.copy(root.resolve(name + end), root.resolve("next"));
      Files.move(copy, root.resolve("used" + end), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static String name(KeyStore store) {
    try {
      return ((X509Certificate) store.getCertificate("host")).getSubjectX500Principal().getName();
    } catch (java.security.KeyStoreException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theNextOneIsShownAndAWrongOneIsNot() throws Exception {
    TestFiles.make(root, "one", 30);
    TestFiles.make(root, "two", 30);
    TestFiles.make(root, "old", 1, "-startdate", "-10d");
    put("one");
    Settings settings =
        Settings.NONE
            .with(TlsProperties.TLS, TlsProperties.Mode.ON)
            .with(TlsProperties.CERTIFICATE, root.resolve("used.crt"))
            .with(TlsProperties.KEY, root.resolve("used.key"))
            .with(EngineConfig.DATA_ROOT, root);
    ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    try {
      TaskScheduler scheduler = new ScheduledExecutorTaskScheduler(executor);
      HostCertificate certificate = new HostCertificate(settings, scheduler);
      List<String> shown = new ArrayList<>();
      Disposable listening =
          Flux.from(certificate.getKeyStore()).subscribe(store -> shown.add(name(store)));
      assertEquals(List.of("CN=one"), shown);
      certificate.reloadIfChanged();
      assertEquals(1, shown.size());
      put("two");
      certificate.reloadIfChanged();
      assertEquals(List.of("CN=one", "CN=two"), shown);
      put("old");
      certificate.reloadIfChanged();
      Files.delete(root.resolve("used.key"));
      certificate.reloadIfChanged();
      Files.copy(root.resolve("one.key"), root.resolve("used.key"));
      certificate.reloadIfChanged();
      assertEquals(2, shown.size());
      put("one");
      certificate.reloadIfChanged();
      assertEquals("CN=one", shown.get(2));
      listening.dispose();
      certificate.close();
      put("old");
      RametException refused =
          assertThrows(RametException.class, () -> new HostCertificate(settings, scheduler));
      assertTrue(("" + refused.getMessage()).contains("has expired"), refused.getMessage());
    } finally {
      executor.shutdownNow();
    }
  }
}
