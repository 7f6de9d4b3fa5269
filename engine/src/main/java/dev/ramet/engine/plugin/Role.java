// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.storage.StorageBackendProvider;
import java.util.List;

/** What plugins are for. The order of preference is the engine's: plugins state facts only. */
public enum Role {
  /** Keeps volumes. */
  STORAGE(
      "storage",
      StorageBackendProvider.class,
      List.of("reflink-xfs", "btrfs", "dm-snapshot", "byte-copy")),
  /** Selects pages. */
  MEMORY(
      "memory",
      MemoryModeProvider.class,
      List.of("write-tracking", "soft-dirty", "incremental", "full")),
  /** Runs machines. */
  HYPERVISOR(
      "hypervisor", HypervisorProvider.class, List.of("qemu", "cloud-hypervisor", "firecracker"));

  private final String label;
  private final Class<? extends Provider<?>> service;
  private final List<String> preference;

  Role(String label, Class<? extends Provider<?>> service, List<String> preference) {
    this.label = label;
    this.service = service;
    this.preference = preference;
  }

  /** The word for people. */
  public String label() {
    return label;
  }

  /** The service type. */
  public Class<? extends Provider<?>> service() {
    return service;
  }

  /** Where an id stands in the order of preference; unknown ones come last. */
  public int rank(String id) {
    int index = preference.indexOf(id);
    return index < 0 ? preference.size() : index;
  }
}
