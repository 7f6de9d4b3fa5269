// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tickets for the upload of one archive each: clients upload without their API key, so the secret
 * in the address is their only credential. A ticket expires after an hour, or when the host stops.
 * Thread-safe.
 */
@Singleton
public final class UploadTickets {
  private static final long LIFE_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int MAX = 10_000;
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Map<String, Grant> bySecret = new LinkedHashMap<>();

  UploadTickets() {}

  /**
   * The permission that a ticket grants.
   *
   * @param caller the caller it was issued to
   * @param hash the hash of the archive
   */
  public record Grant(String caller, String hash, long givenAt) {}

  /** Issues a ticket and returns its secret. */
  public String issue(String caller, String hash) {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    String secret = HexFormat.of().formatHex(bytes);
    synchronized (this) {
      bySecret.values().removeIf(UploadTickets::isExpired);
      if (bySecret.size() >= MAX) {
        Iterator<Grant> oldest = bySecret.values().iterator();
        oldest.next();
        oldest.remove();
      }
      bySecret.put(secret, new Grant(caller, hash, System.nanoTime()));
    }
    return secret;
  }

  private static boolean isExpired(Grant grant) {
    return System.nanoTime() - grant.givenAt() > LIFE_NANOS;
  }

  /**
   * Returns the permission that a secret grants.
   *
   * @throws RametException {@code FORBIDDEN} when it is unknown, expired, or for another archive
   */
  public synchronized Grant check(String secret, String hash) {
    Grant grant = bySecret.get(secret);
    if (grant == null || isExpired(grant) || !grant.hash().equals(hash)) {
      throw new RametException(
          ErrorCode.FORBIDDEN,
          "this host did not issue that upload address, or it has expired",
          "request a new one: GET /templates/{id}/files/{hash}",
          null);
    }
    return grant;
  }
}
