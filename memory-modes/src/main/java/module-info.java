// SPDX-License-Identifier: Apache-2.0
/** Memory modes, which decide which pages of a paused machine a capture must write. */
module dev.ramet.memory {
  requires dev.ramet.spi;
  requires dev.ramet.linux;
  requires static org.jspecify;

  provides dev.ramet.spi.memory.MemoryModeProvider with
      dev.ramet.memory.FullProvider,
      dev.ramet.memory.IncrementalProvider,
      dev.ramet.memory.SoftDirtyProvider,
      dev.ramet.memory.WriteTrackingProvider;
}
