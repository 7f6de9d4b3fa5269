// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

/**
 * An authority that guests trust, as persisted.
 *
 * @param format of this record
 * @param certificate in its distinguished encoding, in base64
 * @param key its key, as PKCS #8 in base64
 */
public record AuthorityRecord(int format, String certificate, String key) {
  /** The only format so far. */
  public static final int FORMAT = 1;

  /** Says nothing of the key. */
  @Override
  public String toString() {
    return "AuthorityRecord[" + format + "]";
  }
}
