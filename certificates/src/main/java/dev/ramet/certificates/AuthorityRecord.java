// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

/**
 * A certificate authority that guests trust, as persisted.
 *
 * @param format format version of this record
 * @param certificate its certificate, DER in base64
 * @param key its private key, PKCS #8 in base64
 */
public record AuthorityRecord(int format, String certificate, String key) {
  /** The only format so far. */
  public static final int FORMAT = 1;

  /** Omits the key. */
  @Override
  public String toString() {
    return "AuthorityRecord[" + format + "]";
  }
}
