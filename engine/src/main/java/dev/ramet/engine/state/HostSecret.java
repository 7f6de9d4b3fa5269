// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.ramet.engine.support.Ids;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The secret with which the host authenticates to a machine's agent. It is stored in manifests,
 * which only their owner can read, and shown nowhere else.
 *
 * @param value random letters and digits
 */
public record HostSecret(@JsonValue String value) {
  /** Creates the secret from the value in a manifest. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public HostSecret {
    Objects.requireNonNull(value);
  }

  /** Returns a new random secret. */
  public static HostSecret random() {
    return new HostSecret(Ids.secret());
  }

  /** Returns the value of a secret; null for none. */
  public static @Nullable String textOf(@Nullable HostSecret secret) {
    return secret == null ? null : secret.value();
  }

  /** Hides the value, because records are printed in messages and logs. */
  @Override
  public String toString() {
    return "HostSecret[...]";
  }
}
