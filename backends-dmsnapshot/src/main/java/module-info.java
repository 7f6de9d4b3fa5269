// SPDX-License-Identifier: Apache-2.0
/** The storage backend on device-mapper snapshots, for file systems that cannot share blocks. */
module dev.ramet.backends.dmsnapshot {
  requires dev.ramet.spi;
  requires dev.ramet.linux;
  requires dev.ramet.backends;
  requires static transitive org.jspecify;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      dev.ramet.backends.dmsnapshot.DmSnapshotProvider;
}
