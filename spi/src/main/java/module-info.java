// SPDX-License-Identifier: Apache-2.0
/**
 * The contracts of Ramet's plugins: storage backends, memory modes and hypervisors. A plugin is a
 * module that {@code provides} one of the {@link dev.ramet.spi.Provider} sub-interfaces.
 */
module dev.ramet.spi {
  requires transitive dev.ramet.errors;
  requires static transitive org.jspecify;

  exports dev.ramet.spi;
  exports dev.ramet.spi.storage;
  exports dev.ramet.spi.memory;
  exports dev.ramet.spi.hypervisor;
  exports dev.ramet.spi.settings;
  exports dev.ramet.spi.storage.image;
  exports dev.ramet.spi.storage.root;
}
