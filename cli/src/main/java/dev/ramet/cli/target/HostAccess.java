// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.target;

import dev.ramet.cli.local.LocalHost;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a command authenticates to its host. Immutable and thread-safe.
 *
 * @param socket the unix socket to connect to, or null for the address
 * @param key the API key to send, or null for none
 * @param description the same for people
 */
public record HostAccess(@Nullable Path socket, @Nullable String key, String description) {
  /**
   * Returns the way to a host: with the key of its context, else the given key, else the unix
   * socket or the local key of a host on this machine.
   *
   * @param key the user's key, or null
   */
  public static HostAccess to(Target target, @Nullable String key) {
    SavedContext context = target.context();
    if (context != null && context.hasKey()) {
      return new HostAccess(null, context.key(), "with the context's key");
    }
    if (key != null) {
      return new HostAccess(null, key, "with the key in RAMET_API_KEY");
    }
    LocalHost local = target.local();
    Path socket = local == null ? null : local.socket();
    if (socket != null) {
      return new HostAccess(socket, null, "through " + socket);
    }
    String own = local == null ? null : local.key();
    return new HostAccess(null, own, own == null ? "without a key" : "with its local key");
  }

  /** Returns the host and the way to it, in one line for people. */
  public String describe(Target target) {
    return target.address() + " (from " + target.origin() + "), " + description;
  }

  /** Returns the description alone, because the key is secret. */
  @Override
  public String toString() {
    return description;
  }
}
