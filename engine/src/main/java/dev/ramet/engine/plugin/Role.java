// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.storage.StorageBackendProvider;

/** The roles that plugins have in the engine. */
public enum Role {
  /** Stores volumes. */
  STORAGE("storage", StorageBackendProvider.class),
  /** Stores memory images, if they have a separate root. */
  MEMORY_STORAGE("storage-memory", StorageBackendProvider.class),
  /** Selects the pages of a capture. */
  MEMORY("memory", MemoryModeProvider.class),
  /** Runs VMs. */
  HYPERVISOR("hypervisor", HypervisorProvider.class);

  private final String label;
  private final Class<? extends Provider<?>> service;

  Role(String label, Class<? extends Provider<?>> service) {
    this.label = label;
    this.service = service;
  }

  /** Returns the role's name for people. */
  public String label() {
    return label;
  }

  /** Returns the service type. */
  public Class<? extends Provider<?>> service() {
    return service;
  }
}
