// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.ramet.engine.support.Ids;
import java.util.Objects;

/**
 * What the host proves itself with towards a machine's agent. It is in manifests, which only their
 * owner reads, and shows itself nowhere else.
 *
 * @param value random letters and digits
 */
public record HostSecret(@JsonValue String value) {
  /** One that a manifest holds. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public HostSecret {
    Objects.requireNonNull(value);
  }

  /** A new one. */
  public static HostSecret next() {
    return new HostSecret(Ids.secret());
  }

  /** Not the value: records get into messages and logs. */
  @Override
  public String toString() {
    return "HostSecret[...]";
  }
}
