// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.RametException;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.KeyDigests;
import dev.ramet.keys.LocalKeyFile;
import dev.ramet.keys.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key of this machine's administrators: a file that only the host's user and root can read.
 * Anybody who can read it could change the data root anyway, so the key permits everything.
 * Removing the file revokes the key at once; the next start creates a new one. Thread-safe.
 */
final class LocalKey {
  /** The id in logs of callers that use this key or the unix socket. */
  static final String ID = "local";

  /** The key of callers that use the unix socket without a key. */
  static final ApiKey PEER = new ApiKey(ID, ID, Scope.ADMIN, Instant.EPOCH, "");

  private static final Logger LOG = LoggerFactory.getLogger(LocalKey.class);
  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rw-------");

  private final Path file;
  private final FileStamp stamp;
  private volatile @Nullable Read last;

  private record Read(@Nullable Object identity, @Nullable ApiKey key) {}

  /** Opens the key in a data root, which need not exist yet. */
  LocalKey(Path dataRoot) {
    file = dataRoot.resolve(LocalKeyFile.NAME);
    stamp = new FileStamp(file);
  }

  /** Creates the key unless it exists, and keeps others from reading it. */
  void prepare() {
    try {
      if (!Files.exists(file)) {
        Path root = file.toAbsolutePath().getParent();
        if (root != null && !Files.isDirectory(root)) {
          Files.createDirectories(
              root,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        LocalKeyFile.create(file);
      } else if (!Files.getPosixFilePermissions(file).equals(OWNERS)) {
        Files.setPosixFilePermissions(file, OWNERS);
        LOG.warn(
            "other users could read {}; if somebody may have read it, remove it and restart the"
                + " host",
            file);
      }
    } catch (IOException e) {
      LOG.warn("cannot make the local key {}: {}", file, e.toString());
    }
  }

  /** Returns the key with this secret, or null. */
  @Nullable ApiKey find(String secret) {
    ApiKey key = current();
    return key != null && key.sha256().equals(KeyDigests.digest(secret)) ? key : null;
  }

  private @Nullable ApiKey current() {
    Object now = stamp.now();
    Read read = last;
    if (read == null || !java.util.Objects.equals(read.identity(), now)) {
      read = new Read(now, now == null ? null : key());
      last = read;
    }
    return read.key();
  }

  private @Nullable ApiKey key() {
    try {
      return new ApiKey(
          ID, ID, Scope.ADMIN, Instant.EPOCH, KeyDigests.digest(LocalKeyFile.read(file)));
    } catch (RametException e) {
      LOG.warn("the local key is not accepted: {}", e.getMessage());
      return null;
    }
  }
}
