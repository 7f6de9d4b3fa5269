// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.Scope;
import io.micronaut.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** The caller of a request, stored as an attribute of the request. */
public final class Caller {
  private static final String KEY = "ramet.key";

  private Caller() {}

  /**
   * The sender of a request, for the audit log.
   *
   * @param key the key it used, or null
   * @param peer the sender, if it came over the unix socket, or null
   * @param remote the address it came from, or {@code unix}
   */
  record Sender(@Nullable ApiKey key, @Nullable LocalPeer peer, String remote) {}

  static void set(HttpRequest<?> request, ApiKey key) {
    request.setAttribute(KEY, key);
  }

  /** Returns the key of a request, or null when this host requires none. */
  static @Nullable ApiKey keyOf(HttpRequest<?> request) {
    return request.getAttribute(KEY, ApiKey.class).orElse(null);
  }

  /**
   * Returns an id of the caller that is valid as a file name: the key's id, or {@code local}
   * without keys.
   */
  public static String id(HttpRequest<?> request) {
    ApiKey key = keyOf(request);
    return key == null ? "local" : key.id();
  }

  /**
   * Requires an administrator, for operations whose path alone does not decide that.
   *
   * @param what the operation, as in "deleting a template"
   * @throws RametException {@code FORBIDDEN} when the caller is not an administrator
   */
  public static void requireAdmin(HttpRequest<?> request, String what) {
    ApiKey key = keyOf(request);
    if (key != null && !key.scope().covers(Scope.ADMIN)) {
      throw forbidden(what);
    }
  }

  static RametException forbidden(String what) {
    return new RametException(
        ErrorCode.FORBIDDEN,
        what + " needs a key of scope admin",
        "create one on the host's machine: ramet key create NAME --scope admin",
        null);
  }
}
