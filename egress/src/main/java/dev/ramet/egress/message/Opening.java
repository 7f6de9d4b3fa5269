// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import dev.ramet.egress.rule.HostPatterns;
import io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The first message that a guest sends on a connection. Immutable.
 *
 * @param tls whether it is TLS
 * @param name of the server, normalised by {@link HostPatterns#normal}; null if the guest sent none
 * @param head of the first request, if it is HTTP
 * @param problem why the message could not be read, or null
 */
public record Opening(
    boolean tls, @Nullable String name, @Nullable HttpRequest head, @Nullable IOException problem) {
  static Opening ofTls(@Nullable String serverName) {
    String name = serverName == null ? null : HostPatterns.normal(serverName);
    return new Opening(true, name, null, null);
  }

  static Opening ofHttp(HttpRequest head) throws BadHttpException {
    return new Opening(false, RequestHeads.name(head), head, null);
  }

  static Opening unreadable(boolean tls, IOException problem) {
    return new Opening(tls, null, null, problem);
  }
}
