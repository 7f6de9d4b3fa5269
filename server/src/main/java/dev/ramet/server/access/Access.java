// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.KeyFile;
import dev.ramet.keys.Scope;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.settings.AccessSettings;
import dev.ramet.server.settings.ServerSettings;
import io.micronaut.context.annotation.Context;
import jakarta.annotation.PreDestroy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates and authorizes the callers of this host, limits their request rate, and writes the
 * audit log. Thread-safe.
 */
@Context // errors in the settings or keys abort the start
public final class Access {
  private static final Logger LOG = LoggerFactory.getLogger(Access.class);
  private static final int DEFAULT_RATE = 100;
  private static final int HIGHEST_RATE = 1_000_000;
  private static final long AUDIT_FILE_BYTES = 16L << 20;
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  private static final Set<Integer> REFUSALS = Set.of(401, 403, 429);

  private static final String WAYS =
      "send one as X-API-Key or as Authorization: Bearer; on the host itself \"ramet key local\""
          + " prints one, and the host's unix socket (ramet.socket) needs none; \"ramet key create"
          + " NAME\" makes others; ramet takes it from RAMET_API_KEY, E2B clients from E2B_API_KEY";

  private final LocalKey localKey;
  private final @Nullable KeyRing keys;
  private final RateLimit rate;
  private final boolean limitsLocal;
  private final @Nullable AuditLog audit;

  Access(AccessSettings settings, ServerSettings server) {
    boolean required = settings.auth() != AccessSettings.Auth.OFF;
    Path root = server.dataRoot();
    Path file = settings.keysFile() == null ? root.resolve(KeyFile.NAME) : settings.keysFile();
    localKey = new LocalKey(root);
    keys = required ? new KeyRing(file) : null;
    Integer asked = settings.rateLimit();
    if (asked != null && (asked < 0 || asked > HIGHEST_RATE)) {
      throw RametException.invalid("ramet.rate-limit", "must be within 0 and " + HIGHEST_RATE);
    }
    limitsLocal = asked != null;
    rate = new RateLimit(asked != null ? asked : required ? DEFAULT_RATE : 0, System::nanoTime);
    Path log = settings.auditLog();
    if (log == null && required) {
      log = root.resolve("audit.log");
    }
    audit = log == null ? null : new AuditLog(log, AUDIT_FILE_BYTES);
    if (!required) {
      LOG.warn(
          "ramet.auth is OFF: every user of this machine, and every program of theirs, can do what"
              + " the host can; set it to AUTO");
    }
    if (keys != null) {
      keys.check();
    }
  }

  /** Returns the key of this machine's administrators. */
  LocalKey localKey() {
    return localKey;
  }

  /** Returns whether requests need a key. */
  public boolean required() {
    return keys != null;
  }

  /**
   * Admits a request or refuses it.
   *
   * @param secret the key it carries, or null
   * @param peer the sender, if it came over the unix socket, or null for TCP
   * @return the caller's key, or null when the request needs none
   * @throws RametException {@code UNAUTHENTICATED} without a valid key, {@code FORBIDDEN} when the
   *     key does not permit the request
   */
  @Nullable ApiKey admit(
      String method, String path, @Nullable String secret, @Nullable LocalPeer peer) {
    Scope needed = Permissions.of(method, path);
    if (keys == null || needed == null) {
      return null;
    }
    if (secret == null || secret.isEmpty()) {
      if (peer != null) {
        return LocalKey.PEER; // the socket's file mode has kept everybody else from connecting
      }
      throw new RametException(ErrorCode.UNAUTHENTICATED, "this host wants an API key", WAYS, null);
    }
    ApiKey key = keys.find(secret);
    if (key == null) {
      key = localKey.find(secret);
    }
    if (key == null) {
      throw new RametException(
          ErrorCode.UNAUTHENTICATED,
          "the API key is not one of this host's",
          "see those that are: ramet key ls; on the host itself: ramet key local",
          null);
    }
    if (!key.scope().covers(needed)) {
      throw Caller.forbidden(method + " " + path);
    }
    return key;
  }

  /**
   * Counts one request of a caller. Returns 0, or the number of whole seconds to wait before trying
   * again. The administrators of this machine are limited only if the operator has set a limit.
   */
  int take(String caller) {
    return !limitsLocal && caller.equals(LocalKey.ID) ? 0 : rate.take(caller);
  }

  /** A line of the audit log. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Line(
      String time,
      @Nullable String key,
      @Nullable String keyName,
      @Nullable LocalPeer peer,
      String remote,
      String method,
      String path,
      int status,
      long millis) {}

  /** Logs a request that changed something, tried to, or was refused. */
  void record(Caller.Sender sender, String method, String path, int status, long nanos) {
    if (audit == null || (READING.contains(method) && !REFUSALS.contains(status))) {
      return;
    }
    ApiKey key = sender.key();
    audit.add(
        JsonBody.bytes(
            new Line(
                Instant.now().toString(),
                key == null ? null : key.id(),
                key == null ? null : key.name(),
                sender.peer(),
                sender.remote(),
                method,
                path,
                status,
                nanos / 1_000_000)));
  }

  @PreDestroy
  void close() {
    if (audit != null) {
      audit.close();
    }
  }
}
