// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values that the host puts into guests' requests, and tells nobody. They are meant by id or name.
 * A call on one that is not there throws {@code NOT_FOUND}; all throw {@code CORRUPT} when the file
 * of secrets cannot be understood. What was changed is durable when a call returns. Thread-safe.
 */
public interface Secrets {
  /** How ids begin, and no name does. */
  String ID_PREFIX = "sec_";

  /**
   * Makes a secret.
   *
   * @param name 1 to 64 letters, digits, dots, dashes and underscores; capitals become small
   * @param value 1 to 8192 visible ASCII characters, spaces and tabs: what a header can hold
   * @param metadata at most 32 pairs and 8192 bytes
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when the name is taken, {@code
   *     INVALID_ARGUMENT} for what cannot be kept
   */
  Secret create(String name, String value, Map<String, String> metadata);

  /**
   * Gives a secret another value, which requests carry from then on.
   *
   * @param metadata in place of what it had, or null to keep that
   */
  Secret update(String idOrName, String value, @Nullable Map<String, String> metadata);

  /** The secret with this id or name. */
  Secret get(String idOrName);

  /** All of them, oldest first. */
  List<Secret> list();

  /** Forgets a secret. Requests that need it are answered with an error from then on. */
  void delete(String idOrName);
}
