// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import dev.ramet.spi.settings.Setting;
import java.util.List;

/**
 * The entry point of a plugin, found by {@link java.util.ServiceLoader}. Its constructor does
 * nothing; {@link #probe} finds out whether the plugin can work here.
 *
 * <p>Implementations are thread-safe.
 *
 * @param <T> the type the plugin opens
 */
public interface Provider<T extends AutoCloseable> {
  /**
   * Returns the plugin's name, {@code [a-z][a-z0-9-]{0,31}}. It is written to disk with the data
   * the plugin creates, so it never changes.
   */
  String id();

  /**
   * Returns the facts about the plugin on a host that offers everything it needs. Where its probe
   * finds it unusable, the host ranks it by these, to say whether it would have been the better
   * choice. Always the same; called once, when the plugin is loaded.
   */
  Facts atBest();

  /**
   * Returns the settings that the plugin reads from {@link ProbeContext#settings()}. An operator
   * sets each as {@code ramet.plugin.<id>.<key>}; the host refuses other keys and invalid values
   * before it starts anything.
   */
  default List<Setting<?>> settings() {
    return List.of();
  }

  /**
   * Finds out whether the plugin works at {@code where} by doing the real operation there, and
   * leaves no trace. Throws nothing: an unexpected failure is a {@link ProbeResult.Failed}.
   */
  ProbeResult probe(ProbeContext where);

  /**
   * Opens the plugin, after finishing or undoing whatever a crash of an earlier process left
   * behind.
   *
   * @throws dev.ramet.errors.RametException if it cannot be opened
   */
  T open(ProbeContext where);
}
