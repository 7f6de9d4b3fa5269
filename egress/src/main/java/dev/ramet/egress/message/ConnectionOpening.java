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
 * @param name of the server, normalised by {@link HostPatterns#normalize}; null if the guest sent
 *     none
 * @param head of the first request, if it is HTTP
 * @param problem why the message could not be read, or null
 */
public record ConnectionOpening(
    boolean tls, @Nullable String name, @Nullable HttpRequest head, @Nullable IOException problem) {
  static ConnectionOpening ofTls(@Nullable String serverName) {
    String name = serverName == null ? null : HostPatterns.normalize(serverName);
    return new ConnectionOpening(true, name, null, null);
  }

  static ConnectionOpening ofHttp(HttpRequest head) throws BadHttpException {
    return new ConnectionOpening(false, RequestHeads.name(head), head, null);
  }

  static ConnectionOpening unreadable(boolean tls, IOException problem) {
    return new ConnectionOpening(tls, null, null, problem);
  }
}
