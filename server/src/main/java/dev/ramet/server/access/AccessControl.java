// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.engine.EngineConfig;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.KeyFile;
import dev.ramet.keys.Scope;
import dev.ramet.server.http.JsonBody;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.annotation.Context;
import jakarta.annotation.PreDestroy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates and authorizes the callers of this host, limits their request rate, and writes the
 * audit log. Thread-safe.
 */
@Context // errors in the settings or keys abort the start
public final class AccessControl {
  /** Whether requests need an API key. */
  public static final Setting<Auth> AUTH =
      Setting.constant(
          "ramet.auth",
          Auth.AUTO,
          "Whether requests need an API key. AUTO and ON: always, except through ramet.socket."
              + " OFF: never, so every local user can do everything the host can, and ramet.bind"
              + " must be a loopback address. /health never needs a key.");

  /** The file of the keys; {@value KeyFile#NAME} in the data root unless set. */
  public static final Setting<Path> KEYS_FILE =
      Setting.path(
              "ramet.keys-file",
              "The file with the digests of the API keys; the keys themselves are not stored.")
          .orElse("api-keys.json in the data root")
          .like("/etc/ramet/api-keys.json");

  /** Requests per second and key; 0 for no limit. */
  public static final Setting<Integer> RATE_LIMIT =
      Setting.number(
              "ramet.rate-limit",
              0,
              1_000_000,
              "Requests per second that one key may make, in bursts of up to twice as many; without"
                  + " keys, the limit applies to each address. Further requests get 429. 0 means no"
                  + " limit.")
          .in("requests per second")
          .orElse(
              "100 when keys are needed, but no limit for ramet.socket and the local key;"
                  + " otherwise 0")
          .like("100");

  /** The file of the audit log. */
  public static final Setting<Path> AUDIT_LOG =
      Setting.path(
              "ramet.audit-log",
              "The file that gets a line of JSON for each request that changes something or is"
                  + " refused.")
          .orElse("audit.log in the data root when keys are needed, else none")
          .like("/var/log/ramet/audit.log");

  /** Whether requests need an API key. */
  public enum Auth {
    /** Always, like {@link #ON}. */
    AUTO,
    /** Always. */
    ON,
    /** Never; then the host listens on loopback addresses only. */
    OFF
  }

  private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);
  private static final int DEFAULT_RATE = 100;
  private static final long AUDIT_FILE_BYTES = 16L << 20;
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  private static final Set<Integer> REFUSALS = Set.of(401, 403, 429);

  private static final String WAYS =
      "send a key as X-API-Key or as Authorization: Bearer; on the host's machine, \"ramet"
          + " key local\" prints one, \"ramet key create NAME\" makes others, and the host's unix"
          + " socket (ramet.socket) needs none; ramet reads the key from RAMET_API_KEY, E2B"
          + " clients from E2B_API_KEY";

  private final LocalKey localKey;
  private final @Nullable KeyRing keys;
  private final RateLimit rate;
  private final boolean limitsLocal;
  private final @Nullable AuditLog audit;

  AccessControl(Settings settings) {
    boolean required = settings.get(AUTH) != Auth.OFF;
    Path root = settings.get(EngineConfig.DATA_ROOT);
    Path file = settings.find(KEYS_FILE).orElse(root.resolve(KeyFile.NAME));
    localKey = new LocalKey(root);
    keys = required ? new KeyRing(file) : null;
    Integer asked = settings.find(RATE_LIMIT).orElse(null);
    limitsLocal = asked != null;
    rate = new RateLimit(asked != null ? asked : required ? DEFAULT_RATE : 0, System::nanoTime);
    Path log = settings.find(AUDIT_LOG).orElse(null);
    if (log == null && required) {
      log = root.resolve("audit.log");
    }
    audit = log == null ? null : new AuditLog(log, AUDIT_FILE_BYTES);
    if (!required) {
      LOG.warn(
          "ramet.auth is OFF: every user and program on this machine can do everything the host"
              + " can; set it to AUTO");
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
    Scope needed = Permissions.requiredScope(method, path);
    if (keys == null || needed == null) {
      return null;
    }
    if (secret == null || secret.isEmpty()) {
      if (peer != null) {
        return LocalKey.PEER; // the socket's file mode has kept everybody else from connecting
      }
      throw new RametException(ErrorCode.UNAUTHENTICATED, "this host needs an API key", WAYS, null);
    }
    ApiKey key = keys.find(secret);
    if (key == null) {
      key = localKey.find(secret);
    }
    if (key == null) {
      throw new RametException(
          ErrorCode.UNAUTHENTICATED,
          "the API key is not one of this host's",
          "list the valid keys with: ramet key ls; on the host's machine, print one with: ramet"
              + " key local",
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
  int countRequest(String caller) {
    return !limitsLocal && caller.equals(LocalKey.ID) ? 0 : rate.countRequest(caller);
  }

  /** Logs a request that changed something, tried to, or was refused. */
  void record(Caller.Sender sender, String method, String path, int status, long nanos) {
    if (audit == null || (READING.contains(method) && !REFUSALS.contains(status))) {
      return;
    }
    ApiKey key = sender.key();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", Instant.now().toString());
    if (key != null) {
      line.put("key", key.id());
      line.put("keyName", key.name());
    }
    if (sender.peer() != null) {
      line.put("peer", sender.peer());
    }
    line.put("remote", sender.remote());
    line.put("method", method);
    line.put("path", path);
    line.put("status", status);
    line.put("millis", nanos / 1_000_000);
    audit.add(JsonBody.bytes(line));
  }

  @PreDestroy
  void close() {
    if (audit != null) {
      audit.close();
    }
  }
}
