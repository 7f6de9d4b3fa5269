// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import dev.ramet.engine.http.RequestHead;
import java.io.BufferedInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What a guest sends first on a connection. Immutable and thread-safe.
 *
 * @param tls whether it is TLS
 * @param name of the server, as {@link HostNames#normal} has it; null when it has said none
 * @param head of the first request, when it is one of HTTP
 * @param problem what is wrong with it, or null
 */
record First(
    boolean tls, @Nullable String name, @Nullable RequestHead head, @Nullable IOException problem) {
  /**
   * Reads it.
   *
   * @param in marked at its beginning; left after the head of a request, else anywhere
   */
  static First read(BufferedInputStream in) throws IOException {
    boolean tls = false;
    try {
      tls = in.read() == ClientHello.RECORD;
      in.reset();
      if (tls) {
        String sent = ClientHello.serverName(in);
        return new First(true, sent == null ? null : HostNames.normal(sent), null, null);
      }
      RequestHead head = RequestHead.read(in);
      return head == null
          ? new First(false, null, null, null)
          : new First(false, HostNames.ofField(head.host()), head, null);
    } catch (IOException e) {
      // Without a name: where rules go by names, that is refused.
      return new First(tls, null, null, e);
    }
  }
}
