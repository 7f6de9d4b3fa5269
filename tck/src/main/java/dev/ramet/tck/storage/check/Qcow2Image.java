// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates small images of QEMU's format, by its documentation (docs/interop/qcow2.txt). */
final class Qcow2Image {
  static final int CLUSTER = 1 << 16;

  /** The size of the disk in the image. */
  static final int SIZE = 3 * CLUSTER;

  private static final long COPIED = 1L << 63;

  private Qcow2Image() {}

  /** Writes a disk of three clusters, of which the second holds data. */
  static Path write(Path path, byte value, boolean withBackingFile) throws IOException {
    ByteBuffer image = ByteBuffer.allocate(6 * CLUSTER);
    image.putInt(0, 0x514649FB).putInt(4, 3);
    if (withBackingFile) {
      byte[] name = "/etc/hostname".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      image.putLong(8, 112).putInt(16, name.length).put(112, name);
    }
    image.putInt(20, 16).putLong(24, SIZE);
    // One entry of the first-level table, in cluster 1; the second level is cluster 2.
    image.putInt(36, 1).putLong(40, CLUSTER).putLong(CLUSTER, 2L * CLUSTER | COPIED);
    image.putLong(2 * CLUSTER + Long.BYTES, 5L * CLUSTER | COPIED);
    // Reference counts: their table is cluster 3, the counts, 16 bits each, cluster 4.
    image.putLong(48, 3L * CLUSTER).putInt(56, 1).putInt(96, 4).putInt(100, 104);
    image.putLong(3 * CLUSTER, 4L * CLUSTER);
    for (int cluster = 0; cluster < 6; cluster++) {
      image.putShort(4 * CLUSTER + 2 * cluster, (short) 1);
    }
    for (int i = 0; i < CLUSTER; i++) {
      image.put(5 * CLUSTER + i, value);
    }
    return Files.write(path, image.array());
  }
}
