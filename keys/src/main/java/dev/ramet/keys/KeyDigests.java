// SPDX-License-Identifier: Apache-2.0
package dev.ramet.keys;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Creates keys and their digests. A key has 160 random bits, so a plain digest protects it: a
 * dictionary attack, as against passwords, is impossible. Thread-safe.
 */
public final class KeyDigests {
  /** Older clients of the E2B protocol reject keys without this prefix. */
  static final String PREFIX = "e2b_";

  private static final int KEY_BYTES = 20;
  private static final int ID_BYTES = 4;
  private static final SecureRandom RANDOM = new SecureRandom();

  private KeyDigests() {}

  static String newKey() {
    return PREFIX + random(KEY_BYTES);
  }

  static String newId() {
    return "key-" + random(ID_BYTES);
  }

  private static String random(int count) {
    byte[] bytes = new byte[count];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  public static String digest(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has SHA-256
    }
  }
}
