// SPDX-License-Identifier: Apache-2.0
/** Plugins: found in folders, guarded, probed and ranked. Names none. */
module dev.ramet.pluginhost {
  requires transitive dev.ramet.spi;
  requires static transitive org.jspecify;

  exports dev.ramet.pluginhost;
  exports dev.ramet.pluginhost.find;
  exports dev.ramet.pluginhost.guard to
      dev.ramet.engine;

  uses dev.ramet.spi.storage.StorageBackendProvider;
  uses dev.ramet.spi.storage.root.StorageProvisioner;
  uses dev.ramet.spi.memory.MemoryModeProvider;
  uses dev.ramet.spi.hypervisor.HypervisorProvider;
}
