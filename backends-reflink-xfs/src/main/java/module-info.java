// SPDX-License-Identifier: Apache-2.0
/** The storage backend that clones files on XFS. */
module dev.ramet.backends.reflinkxfs {
  requires dev.ramet.spi;
  requires dev.ramet.linux;
  requires dev.ramet.backends;
  requires static transitive org.jspecify;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      dev.ramet.backends.reflinkxfs.ReflinkXfsProvider;
  provides dev.ramet.spi.storage.root.StorageProvisioner with
      dev.ramet.backends.reflinkxfs.provision.XfsProvisioner;
}
