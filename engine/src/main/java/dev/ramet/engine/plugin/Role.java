// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.storage.StorageBackendProvider;

/** What plugins are for. */
public enum Role {
  /** Keeps volumes. */
  STORAGE("storage", StorageBackendProvider.class),
  /** Keeps memory images, where they have a root of their own. */
  MEMORY_STORAGE("storage-memory", StorageBackendProvider.class),
  /** Selects pages. */
  MEMORY("memory", MemoryModeProvider.class),
  /** Runs machines. */
  HYPERVISOR("hypervisor", HypervisorProvider.class);

  private final String label;
  private final Class<? extends Provider<?>> service;

  Role(String label, Class<? extends Provider<?>> service) {
    this.label = label;
    this.service = service;
  }

  /** The word for people. */
  public String label() {
    return label;
  }

  /** The service type. */
  public Class<? extends Provider<?>> service() {
    return service;
  }
}
