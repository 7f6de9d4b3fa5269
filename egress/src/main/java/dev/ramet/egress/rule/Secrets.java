// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Operations on secrets: values that the host puts into guests' requests and never shows. Each is
 * addressed by id or name. A call on an unknown one throws {@code NOT_FOUND}; every call throws
 * {@code CORRUPT} when the file of secrets cannot be read. Changes are durable when a call returns.
 * Thread-safe.
 */
public interface Secrets {
  /** The prefix of every id, which no name has. */
  String ID_PREFIX = "sec_";

  /**
   * Creates a secret.
   *
   * @param name 1 to 64 letters, digits, dots, dashes and underscores; converted to lower case
   * @param value 1 to 8192 visible ASCII characters, spaces and tabs, so that it fits a header
   * @param metadata at most 32 pairs and 8192 bytes
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when the name is taken, {@code
   *     INVALID_ARGUMENT} for values that cannot be stored
   */
  default Secret create(String name, String value, Map<String, String> metadata) {
    return create(name, value, metadata, id -> {});
  }

  /**
   * Creates a secret like {@link #create(String, String, Map)}.
   *
   * @param beforehand receives the secret's id before anything is made; an exception from it fails
   *     the call
   */
  Secret create(
      String name, String value, Map<String, String> metadata, Consumer<String> beforehand);

  /**
   * Gives a secret another value, which requests carry from then on.
   *
   * @param metadata the new metadata, or null to keep the current
   */
  Secret update(String idOrName, String value, @Nullable Map<String, String> metadata);

  /** Returns the secret with this id or name. */
  Secret get(String idOrName);

  /** Returns all secrets, oldest first. */
  List<Secret> list();

  /** Deletes a secret. Requests that need it fail with an error from then on. */
  void delete(String idOrName);
}
