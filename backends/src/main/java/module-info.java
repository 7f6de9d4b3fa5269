// SPDX-License-Identifier: Apache-2.0
/** The common part of storage backends made of plain files, and the backend that copies bytes. */
module dev.ramet.backends {
  requires transitive dev.ramet.spi;
  requires transitive dev.ramet.linux;
  requires static transitive org.jspecify;

  exports dev.ramet.backends to
      dev.ramet.backends.btrfs,
      dev.ramet.backends.reflinkxfs;
  exports dev.ramet.backends.copy to
      dev.ramet.backends.btrfs,
      dev.ramet.backends.dmsnapshot,
      dev.ramet.backends.reflinkxfs;
  exports dev.ramet.backends.disk to
      dev.ramet.backends.btrfs,
      dev.ramet.backends.dmsnapshot,
      dev.ramet.backends.reflinkxfs;
  exports dev.ramet.backends.node to
      dev.ramet.backends.dmsnapshot;
  exports dev.ramet.backends.root to
      dev.ramet.backends.btrfs,
      dev.ramet.backends.dmsnapshot,
      dev.ramet.backends.reflinkxfs;
  exports dev.ramet.backends.share to
      dev.ramet.backends.btrfs,
      dev.ramet.backends.reflinkxfs;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      dev.ramet.backends.bytecopy.ByteCopyProvider;
}
