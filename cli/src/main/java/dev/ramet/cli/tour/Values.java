// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

/**
 * What the tour keeps in a sandbox, in three places; empty where there is nothing. Immutable.
 *
 * @param disk the content of a file on the sandbox's disk
 * @param tmpfs the content of a file in its memory
 * @param variable the variable of a program that runs in it
 */
record Values(String disk, String tmpfs, String variable) {
  /** Nothing anywhere. */
  static final Values NONE = new Values("", "", "");

  /** Three different values that nobody else has. */
  static Values unique(String owner) {
    String random =
        Long.toHexString(java.util.concurrent.ThreadLocalRandom.current().nextLong() >>> 24);
    return new Values(
        owner + "-disk-" + random, owner + "-tmpfs-" + random, owner + "-variable-" + random);
  }
}
