// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key of those who administer this machine: a file that only the host's user and root can read.
 * Whoever can read it could change the data root anyway, so the key is for everything. Removing the
 * file ends the key at once; the next start makes another one. Thread-safe.
 */
public final class LocalKey {
  /** Its name below a data root. */
  public static final String NAME = "local.key";

  /** The id in logs of whoever uses the key or the unix socket. */
  static final String ID = "local";

  /** Stands for the key where somebody comes by the unix socket and shows none. */
  static final ApiKey PEER = new ApiKey(ID, ID, Scope.ADMIN, Instant.EPOCH, "");

  private static final Logger LOG = LoggerFactory.getLogger(LocalKey.class);
  private static final Pattern KEY = Pattern.compile("e2b_[0-9a-f]{40}");
  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rw-------");

  private final Path file;
  private final FileStamp stamp;
  private volatile @Nullable Read last;

  private record Read(@Nullable Object identity, @Nullable ApiKey key) {}

  /** The key in a data root, which need not exist yet. */
  LocalKey(Path dataRoot) {
    file = dataRoot.resolve(NAME);
    stamp = new FileStamp(file);
  }

  /**
   * The key of a data root, as text.
   *
   * @throws RametException {@code NOT_FOUND} when there is none, {@code FORBIDDEN} when this user
   *     may not read it, {@code CORRUPT} when the file holds something else
   */
  public static String read(Path file) {
    try {
      String key = Files.readString(file, StandardCharsets.US_ASCII).strip();
      if (KEY.matcher(key).matches()) {
        return key;
      }
      throw new RametException(
          ErrorCode.CORRUPT,
          "there is no key in " + file,
          "remove the file and restart the host, which makes another one",
          null);
    } catch (NoSuchFileException e) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "there is no local key here, or this user may not look: " + file,
          "run this as the host's user, once the host has been started (ramet serve); --data-root"
              + " names another data root",
          e);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.FORBIDDEN,
          "cannot read " + file,
          "run this as the host's user, or have a key made: ramet key create NAME",
          e);
    }
  }

  /** Makes the key unless it is there, and keeps others from reading it. */
  void prepare() {
    try {
      if (!Files.exists(file)) {
        Path root = file.toAbsolutePath().getParent();
        if (root != null && !Files.isDirectory(root)) {
          Files.createDirectories(
              root,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        byte[] key = (Secrets.newKey() + "\n").getBytes(StandardCharsets.US_ASCII);
        AtomicFile.write(file, key, AtomicFile.OWNER_ONLY);
      } else if (!Files.getPosixFilePermissions(file).equals(OWNERS)) {
        Files.setPosixFilePermissions(file, OWNERS);
        LOG.warn(
            "{} could be read by others; remove it and restart the host if somebody may have",
            file);
      }
    } catch (IOException e) {
      LOG.warn("cannot make the local key {}: {}", file, e.toString());
    }
  }

  /** The key with this secret, or null. */
  @Nullable ApiKey find(String secret) {
    ApiKey key = current();
    return key != null && key.sha256().equals(Secrets.digest(secret)) ? key : null;
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
      return new ApiKey(ID, ID, Scope.ADMIN, Instant.EPOCH, Secrets.digest(read(file)));
    } catch (RametException e) {
      LOG.warn("the local key is not accepted: {}", e.getMessage());
      return null;
    }
  }
}
