// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

/**
 * One line of a device-mapper table.
 *
 * @param startSector where on the device it begins
 * @param sectors its length; a sector has 512 bytes
 * @param type the target's name, such as {@code linear}
 * @param parameters the target's arguments, or the status it reports
 */
public record DmTarget(long startSector, long sectors, String type, String parameters) {
  /** The bytes of a sector. */
  public static final int SECTOR_BYTES = 512;

  /** Returns a table of one target. */
  public static DmTarget spanning(long sizeBytes, String type, String parameters) {
    return new DmTarget(0, sizeBytes / SECTOR_BYTES, type, parameters);
  }

  /** Returns the words of the parameters. */
  public String[] parameterWords() {
    return parameters.strip().split(" +", -1);
  }
}
