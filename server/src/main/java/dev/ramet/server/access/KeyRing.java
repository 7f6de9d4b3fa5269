// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.KeyDigests;
import dev.ramet.keys.KeyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The API keys that a running host accepts. Every request checks whether the file was replaced and
 * rereads it if so. A key is therefore valid, or refused, as soon as the command that created or
 * revoked it has ended. Thread-safe.
 */
final class KeyRing {
  private final Path path;
  private final KeyFile file;
  private final FileStamp stamp;
  private volatile @Nullable Read last;

  /**
   * The keys, and the identity of the file they were read from: a change always creates a new
   * inode.
   */
  private record Read(@Nullable Object identity, Map<String, ApiKey> byDigest) {}

  KeyRing(Path path) {
    this.path = path;
    this.file = new KeyFile(path);
    this.stamp = new FileStamp(path);
  }

  /**
   * Returns the key with this secret, or null.
   *
   * @throws RametException {@code CORRUPT} or {@code INTERNAL} when the file cannot be read
   */
  @Nullable ApiKey find(String secret) {
    return current().get(KeyDigests.digest(secret));
  }

  /**
   * Reads the file.
   *
   * @throws RametException as {@link #find} does
   */
  void check() {
    current();
  }

  private Map<String, ApiKey> current() {
    try {
      Object identity = stamp.now();
      Read read = last;
      if (read == null || !java.util.Objects.equals(read.identity(), identity)) {
        read =
            new Read(
                identity,
                file.list().stream()
                    .collect(Collectors.toUnmodifiableMap(ApiKey::sha256, key -> key)));
        last = read;
      }
      return read.byDigest();
    } catch (IOException | UncheckedIOException e) {
      throw new RametException(
          ErrorCode.INTERNAL, "cannot read the API keys in " + path, "check its permissions", e);
    }
  }
}
