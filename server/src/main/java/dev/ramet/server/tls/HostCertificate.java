// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.certificates.SelfIssuedCertificate;
import dev.ramet.certificates.SubjectNames;
import dev.ramet.certificates.TlsIdentity;
import dev.ramet.engine.EngineConfig;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Settings;
import io.micronaut.http.ssl.CertificateProvider;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Sinks;

/**
 * Provides the server's certificate, and the new one when its files change; new connections use it.
 * Invalid files are logged and change nothing. Used only by a host that speaks TLS. Thread-safe.
 */
@Singleton
@Named(HostCertificate.NAME)
final class HostCertificate implements CertificateProvider {
  static final String NAME = "ramet";

  /** Certificate and key are replaced one after the other; this is longer than the time between. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(HostCertificate.class);

  private final @Nullable SelfIssuedCertificate own;
  private final Path certificate;
  private final Path key;
  private final Sinks.Many<KeyStore> stores = Sinks.many().replay().latest();
  private final ScheduledFuture<?> looks;
  private TlsIdentity identity;
  private List<Object> stamps;

  HostCertificate(Settings settings, TaskScheduler scheduler) {
    Path given = settings.find(TlsProperties.CERTIFICATE).orElse(null);
    Path givenKey = settings.find(TlsProperties.KEY).orElse(null);
    if (given != null && givenKey != null) {
      own = null;
      certificate = given;
      key = givenKey;
    } else {
      own =
          new SelfIssuedCertificate(
              settings.get(EngineConfig.DATA_ROOT),
              SubjectNames.of(
                  settings.get(HostSettings.BIND),
                  settings.find(HostSettings.DOMAIN).orElse(null),
                  settings.find(TlsProperties.NAMES).orElse(List.of())));
      own.prepare();
      certificate = own.file();
      key = own.file();
    }
    stamps = stamps();
    List<String> problems = new ArrayList<>();
    TlsIdentity read =
        TlsIdentity.read(
            certificate, key, (setting, problem) -> problems.add(setting + ": " + problem));
    if (read == null) {
      throw new RametException(ErrorCode.INVALID_ARGUMENT, String.join("; ", problems));
    }
    identity = read;
    publish();
    looks = scheduler.scheduleWithFixedDelay(LOOK, LOOK, this::reloadIfChanged);
  }

  /** Checks whether the files have changed. */
  synchronized void reloadIfChanged() {
    try {
      if (own != null && SelfIssuedCertificate.expiresSoon(identity)) {
        own.prepare();
      }
      List<Object> found = stamps();
      if (found.equals(stamps)) {
        return;
      }
      stamps = found;
      TlsIdentity read =
          TlsIdentity.read(
              certificate,
              key,
              (setting, problem) ->
                  LOG.error("{}: {}; the host keeps using {}", setting, problem, identity));
      if (read != null && !read.equals(identity)) {
        identity = read;
        publish();
      }
    } catch (RuntimeException e) {
      LOG.error("the host keeps using {}", identity, e);
    }
  }

  private void publish() {
    LOG.info("using the TLS certificate of {}", identity);
    stores.emitNext(identity.keyStore(), Sinks.EmitFailureHandler.FAIL_FAST);
  }

  /** Returns the DNS names in the current certificate, in lower case. */
  synchronized Set<String> names() {
    return identity.names();
  }

  /** Returns values that change when a file, or a link on its path, is written or replaced. */
  private List<Object> stamps() {
    List<Object> stamps = new ArrayList<>();
    for (Path file : new Path[] {certificate, key}) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        stamps.add(attributes.lastModifiedTime());
        stamps.add(attributes.size());
        stamps.add(String.valueOf(attributes.fileKey()));
      } catch (IOException e) {
        stamps.add(e.getClass());
      }
    }
    return stamps;
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public Publisher<KeyStore> getKeyStore() {
    return stores.asFlux();
  }

  @PreDestroy
  void close() {
    looks.cancel(false);
  }
}
