// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import dev.ramet.spi.Facts;
import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;

/** The roles that plugins have in the engine. */
public enum PluginKind {
  /** Stores volumes. */
  STORAGE("storage", StorageBackendProvider.class, StorageFacts.class),
  /** Stores memory images, if they have a separate root. */
  MEMORY_STORAGE("storage-memory", StorageBackendProvider.class, StorageFacts.class),
  /** Selects the pages of a capture. */
  MEMORY("memory", MemoryModeProvider.class, MemoryFacts.class),
  /** Runs VMs. */
  HYPERVISOR("hypervisor", HypervisorProvider.class, HypervisorFacts.class);

  private final String label;
  private final Class<? extends Provider<?>> service;
  private final Class<? extends Facts> facts;

  PluginKind(String label, Class<? extends Provider<?>> service, Class<? extends Facts> facts) {
    this.label = label;
    this.service = service;
    this.facts = facts;
  }

  /** Returns the role's name for people. */
  public String label() {
    return label;
  }

  /** Returns the service type. */
  public Class<? extends Provider<?>> service() {
    return service;
  }

  /** Returns the type of the facts that its plugins state. */
  public Class<? extends Facts> facts() {
    return facts;
  }
}
