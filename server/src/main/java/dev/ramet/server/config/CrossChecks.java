// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import dev.ramet.certificates.TlsIdentity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Checks for settings that are valid separately but contradict each other. */
final class CrossChecks {
  private final Map<String, RawValue> set;
  private final List<Problem> problems;

  private CrossChecks(Map<String, RawValue> set, List<Problem> problems) {
    this.set = set;
    this.problems = problems;
  }

  /**
   * Runs all checks.
   *
   * @param set all values that are set, each valid by itself
   * @param problems receives the errors
   */
  static void find(Map<String, RawValue> set, List<Problem> problems) {
    CrossChecks finder = new CrossChecks(set, problems);
    finder.keys();
    finder.memoryRoot();
    finder.files();
    finder.tls();
  }

  private void keys() {
    if (!"OFF".equalsIgnoreCase(text("ramet.auth", "AUTO"))) {
      return;
    }
    String bind = text("ramet.bind", "127.0.0.1");
    try {
      for (InetAddress address : InetAddress.getAllByName(bind)) {
        if (!address.isLoopbackAddress()) {
          add(
              "ramet.auth",
              "is OFF, and other machines can reach ramet.bind, "
                  + bind
                  + ": leave it at AUTO and make a key (ramet key create NAME), or listen on"
                  + " 127.0.0.1");
          return;
        }
      }
    } catch (UnknownHostException e) {
      add("ramet.bind", "is not an address: " + bind);
    }
  }

  private void memoryRoot() {
    if (set.containsKey("ramet.storage-memory-backend")
        && !set.containsKey("ramet.storage-memory-root")) {
      add("ramet.storage-memory-backend", "needs ramet.storage-memory-root");
    }
    if (set.containsKey("ramet.storage-memory-root")) {
      Path memory = path("ramet.storage-memory-root", "");
      Path data = path("ramet.data-root", "/var/lib/ramet");
      if (memory.equals(data)) {
        add("ramet.storage-memory-root", "is the data root itself; leave it out to keep all there");
      }
    }
  }

  private void files() {
    if (set.containsKey("ramet.keys-file")
        && set.containsKey("ramet.audit-log")
        && path("ramet.keys-file", "").equals(path("ramet.audit-log", ""))) {
      add("ramet.audit-log", "is the same file as ramet.keys-file");
    }
  }

  /** A host must not start with a certificate that clients reject, nor without one by mistake. */
  private void tls() {
    boolean certificate = set.containsKey(TlsIdentity.CERTIFICATE_SETTING);
    boolean key = set.containsKey(TlsIdentity.KEY_SETTING);
    if (certificate && !key) {
      add(TlsIdentity.CERTIFICATE_SETTING, "needs " + TlsIdentity.KEY_SETTING);
    } else if (key && !certificate) {
      add(TlsIdentity.KEY_SETTING, "needs " + TlsIdentity.CERTIFICATE_SETTING);
    } else if (certificate) {
      // The listener reports the errors; the result is not needed.
      TlsIdentity unused =
          TlsIdentity.read(
              path(TlsIdentity.CERTIFICATE_SETTING, ""),
              path(TlsIdentity.KEY_SETTING, ""),
              this::add);
    }
    if (TlsKeys.isOn(text(TlsKeys.SETTING, "OFF"))) {
      return;
    }
    for (String needs : new String[] {TlsIdentity.CERTIFICATE_SETTING, TlsIdentity.KEY_SETTING}) {
      if (set.containsKey(needs)) {
        add(needs, "needs ramet.tls=ON: requests would not be encrypted");
      }
    }
  }

  private String text(String key, String otherwise) {
    RawValue given = set.get(key);
    return given == null ? otherwise : given.value();
  }

  private Path path(String key, String otherwise) {
    return Path.of(text(key, otherwise)).toAbsolutePath().normalize();
  }

  private void add(String key, String text) {
    RawValue given = set.get(key);
    problems.add(new Problem(key, given == null ? ValueSource.DEFAULT : given.origin(), text));
  }
}
