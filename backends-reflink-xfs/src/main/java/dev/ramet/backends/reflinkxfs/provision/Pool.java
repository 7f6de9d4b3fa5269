// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import java.nio.file.Path;

/**
 * The file names of a pool.
 *
 * @param dataRoot the directory it is created in, with symbolic links resolved, so that the
 *     kernel's names for it can be compared
 */
record Pool(Path dataRoot) {
  Path image() {
    return dataRoot.resolve("pool.xfs.img");
  }

  Path newImage() {
    return dataRoot.resolve(".pool.xfs.img.new");
  }

  Path mountPoint() {
    return dataRoot.resolve("pool");
  }

  Path marker() {
    return dataRoot.resolve(".pool");
  }

  Path lock() {
    return dataRoot.resolve(".pool.lock");
  }
}
