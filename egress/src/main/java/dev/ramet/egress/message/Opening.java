// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import dev.ramet.egress.rule.HostPatterns;
import io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The first message of a guest on a connection. Immutable.
 *
 * @param tls whether it is TLS
 * @param name of the server, as {@link HostPatterns#normal} has it; null when the guest gave none
 * @param head of the first request, when it is one of HTTP
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
