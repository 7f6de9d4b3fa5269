// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.certificates.TlsIdentity;
import dev.ramet.config.Configuration;
import dev.ramet.engine.start.EngineSettings;
import dev.ramet.server.access.AccessControl;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.server.tls.TlsProperties;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;

/** Finds settings of the host that are valid separately but contradict each other. */
final class CrossChecks implements Configuration.Checks {
  @Override
  public void run(Settings set, BiConsumer<String, String> problem) {
    keys(set, problem);
    EngineSettings.check(set, problem);
    files(set, problem);
    tls(set, problem);
  }

  private static void keys(Settings set, BiConsumer<String, String> problem) {
    if (set.get(AccessControl.AUTH) != AccessControl.Auth.OFF) {
      return;
    }
    String bind = set.get(HostSettings.BIND);
    try {
      for (InetAddress address : InetAddress.getAllByName(bind)) {
        if (!address.isLoopbackAddress()) {
          problem.accept(
              AccessControl.AUTH.key(),
              "is OFF, and other machines can reach ramet.bind, "
                  + bind
                  + ": set it to AUTO and create a key (ramet key create NAME), or listen on"
                  + " 127.0.0.1");
          return;
        }
      }
    } catch (UnknownHostException e) {
      problem.accept(HostSettings.BIND.key(), "is not an address: " + bind);
    }
  }

  private static void files(Settings set, BiConsumer<String, String> problem) {
    if (set.has(AccessControl.KEYS_FILE)
        && set.has(AccessControl.AUDIT_LOG)
        && path(set, AccessControl.KEYS_FILE).equals(path(set, AccessControl.AUDIT_LOG))) {
      problem.accept(
          AccessControl.AUDIT_LOG.key(), "is the same file as " + AccessControl.KEYS_FILE.key());
    }
  }

  /** A host must not start with a certificate that clients reject, nor without one by mistake. */
  private static void tls(Settings set, BiConsumer<String, String> problem) {
    Setting<Path> certificate = TlsProperties.CERTIFICATE;
    Setting<Path> key = TlsProperties.KEY;
    if (set.has(certificate) && !set.has(key)) {
      problem.accept(certificate.key(), "needs " + key.key());
    } else if (set.has(key) && !set.has(certificate)) {
      problem.accept(key.key(), "needs " + certificate.key());
    } else if (set.has(certificate)) {
      // The listener reports the errors; the result is not needed.
      TlsIdentity unused = TlsIdentity.read(path(set, certificate), path(set, key), problem);
    }
    if (TlsProperties.isOn(set)) {
      return;
    }
    for (Setting<Path> needs : List.of(certificate, key)) {
      if (set.has(needs)) {
        problem.accept(needs.key(), "needs ramet.tls=ON: requests would not be encrypted");
      }
    }
  }

  private static Path path(Settings set, Setting<Path> setting) {
    return set.get(setting).toAbsolutePath().normalize();
  }
}
