// SPDX-License-Identifier: Apache-2.0
/** The common part of storage backends made of plain files, and the backend that copies bytes. */
module dev.ramet.backends {
  requires transitive dev.ramet.spi;
  requires transitive dev.ramet.linux;
  requires static transitive org.jspecify;

  exports dev.ramet.backends to
      dev.ramet.backends.reflinkxfs,
      dev.ramet.backends.btrfs,
      dev.ramet.backends.dmsnapshot;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      dev.ramet.backends.bytecopy.ByteCopyProvider;
}
