// SPDX-License-Identifier: Apache-2.0
/** Plugins that work like those of the host until they are told to break. */
module com.example.faulty {
  requires dev.ramet.spi;

  uses dev.ramet.spi.storage.StorageBackendProvider;
  uses dev.ramet.spi.memory.MemoryModeProvider;
  uses dev.ramet.spi.hypervisor.HypervisorProvider;

  provides dev.ramet.spi.storage.StorageBackendProvider with
      com.example.faulty.FaultyStorage;
  provides dev.ramet.spi.memory.MemoryModeProvider with
      com.example.faulty.FaultyMemory;
  provides dev.ramet.spi.hypervisor.HypervisorProvider with
      com.example.faulty.FaultyHypervisor;
}
