// SPDX-License-Identifier: Apache-2.0
/** A plugin that shows which version of a library it runs with. */
module com.example.isolation {
  requires dev.ramet.spi;
  requires com.google.gson;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      com.example.isolation.LibraryProvider;
}
