// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import java.time.Instant;

/**
 * The manifest of a volume.
 *
 * @param format version of the layout of its directory
 * @param id its id, also the name of its directory
 * @param name its unique name
 * @param token the token that grants access to its files
 * @param createdAt when it was created
 */
public record VolumeRecord(int format, String id, String name, String token, Instant createdAt) {
  /** The layout that this version writes. */
  public static final int FORMAT = 1;
}
