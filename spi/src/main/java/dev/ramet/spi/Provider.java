// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

/**
 * The entry of a plugin, found by {@link java.util.ServiceLoader}. Its constructor does nothing:
 * whether the plugin can work here is what {@link #probe} finds out.
 *
 * <p>Implementations are thread-safe.
 *
 * @param <T> what the plugin opens
 */
public interface Provider<T extends AutoCloseable> {
  /**
   * The plugin's name, {@code [a-z][a-z0-9-]{0,31}}. It is written to disk beside the data the
   * plugin makes, so it never changes.
   */
  String id();

  /**
   * Finds out whether the plugin works at {@code where} by doing the real thing there, and leaves
   * no trace. Throws nothing: an unexpected failure is a {@link ProbeResult.Failed}.
   */
  ProbeResult probe(ProbeContext where);

  /**
   * Opens the plugin. It first finishes or undoes what a crash of an earlier user left behind.
   *
   * @throws dev.ramet.errors.RametException when it cannot be opened
   */
  T open(ProbeContext where);
}
