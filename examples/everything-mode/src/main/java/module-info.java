// SPDX-License-Identifier: Apache-2.0
/** A memory mode that captures everything: the skeleton of one that captures less. */
module com.example.everything {
  requires dev.ramet.spi;

  provides dev.ramet.spi.memory.MemoryModeProvider with
      com.example.everything.EverythingProvider;
}
