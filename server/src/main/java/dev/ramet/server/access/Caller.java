// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.Scope;
import io.micronaut.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** Who makes a request: kept with the request itself. */
public final class Caller {
  private static final String KEY = "ramet.key";

  private Caller() {}

  /**
   * Who sent a request, for the audit log.
   *
   * @param key the key it showed, or null
   * @param peer who sent it by the unix socket, or null
   * @param remote the address it came from, or {@code unix}
   */
  record Sender(@Nullable ApiKey key, @Nullable LocalPeer peer, String remote) {}

  static void set(HttpRequest<?> request, ApiKey key) {
    request.setAttribute(KEY, key);
  }

  /** The key of a request, or null when this host wants none. */
  static @Nullable ApiKey of(HttpRequest<?> request) {
    return request.getAttribute(KEY, ApiKey.class).orElse(null);
  }

  /** Tells callers apart, fit for a file's name: a key's id, or {@code local} without keys. */
  public static String id(HttpRequest<?> request) {
    ApiKey key = of(request);
    return key == null ? "local" : key.id();
  }

  /**
   * For what only an administrator may do, where the path alone does not tell.
   *
   * @param what what is being done, as in "deleting a template"
   * @throws RametException {@code FORBIDDEN} when the caller is none
   */
  public static void requireAdmin(HttpRequest<?> request, String what) {
    ApiKey key = of(request);
    if (key != null && !key.scope().covers(Scope.ADMIN)) {
      throw forbidden(what);
    }
  }

  static RametException forbidden(String what) {
    return new RametException(
        ErrorCode.FORBIDDEN,
        what + " needs a key of scope admin",
        "make one on the host: ramet key create NAME --scope admin",
        null);
  }
}
