// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

/**
 * The values that the tour keeps in three places of a sandbox; empty where there is none.
 * Immutable.
 *
 * @param disk the content of a file on the sandbox's disk
 * @param tmpfs the content of a file in its memory
 * @param variable the variable of a program that runs in it
 */
record GuestValues(String disk, String tmpfs, String variable) {
  /** No values. */
  static final GuestValues NONE = new GuestValues("", "", "");

  /** Returns three different, unique values. */
  static GuestValues unique(String owner) {
    String random =
        Long.toHexString(java.util.concurrent.ThreadLocalRandom.current().nextLong() >>> 24);
    return new GuestValues(
        owner + "-disk-" + random, owner + "-tmpfs-" + random, owner + "-variable-" + random);
  }
}
