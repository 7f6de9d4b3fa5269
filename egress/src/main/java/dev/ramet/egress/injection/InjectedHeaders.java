// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.rule.MissingSecretException;
import dev.ramet.egress.rule.Placeholders;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The headers that rules put into the requests to one host. Immutable and thread-safe. */
final class InjectedHeaders {
  private final Map<String, String> texts;
  private final Function<String, @Nullable String> secrets;
  private final boolean constant;

  /**
   * Creates the headers for a host.
   *
   * @param texts values with references to secrets, by the headers' names
   * @param secrets returns the value of a secret, or null if there is none; may block
   */
  InjectedHeaders(Map<String, String> texts, Function<String, @Nullable String> secrets) {
    this.texts = texts;
    this.secrets = secrets;
    this.constant =
        texts.values().stream()
            .allMatch(text -> Placeholders.referencedSecrets("", text).isEmpty());
  }

  /** Returns whether no header refers to a secret, so that {@link #current} does not block. */
  boolean isConstant() {
    return constant;
  }

  /**
   * Returns the headers with the values that secrets have now. May block.
   *
   * @throws MissingSecretException if a secret was deleted; the request must not be sent
   */
  Map<String, String> current() throws MissingSecretException {
    if (constant) {
      return texts;
    }
    Map<String, String> filled = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Map.Entry<String, String> header : texts.entrySet()) {
      filled.put(header.getKey(), Placeholders.substitute(header.getValue(), secrets));
    }
    return filled;
  }
}
