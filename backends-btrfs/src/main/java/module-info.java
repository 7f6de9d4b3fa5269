// SPDX-License-Identifier: Apache-2.0
/** The storage backend that clones files and captures directory trees on Btrfs. */
module dev.ramet.backends.btrfs {
  requires dev.ramet.spi;
  requires dev.ramet.linux;
  requires dev.ramet.backends;
  requires static transitive org.jspecify;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      dev.ramet.backends.btrfs.BtrfsProvider;
}
