// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.secret.SecretInfo;
import dev.ramet.egress.rule.Secret;

/** Converts secrets to their wire form, without their values. */
public final class SecretView {
  private SecretView() {}

  public static SecretInfo of(Secret s) {
    return new SecretInfo(
        s.id(),
        s.name(),
        s.version(),
        s.metadata(),
        s.createdAt().toString(),
        s.updatedAt().toString());
  }
}
