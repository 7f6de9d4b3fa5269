// SPDX-License-Identifier: Apache-2.0
/** A storage backend that keeps everything in the host's memory, for throw-away sandboxes. */
module com.example.tmpfs {
  requires dev.ramet.spi;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      com.example.tmpfs.TmpfsProvider;
}
