// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.engine.http.BadHttpException;
import dev.ramet.engine.http.Fields;
import dev.ramet.engine.http.Framing;
import dev.ramet.engine.http.RequestHead;
import dev.ramet.engine.http.ResponseHead;
import dev.ramet.engine.relay.HostNames;
import java.util.Map;
import java.util.Set;

/** What becomes of the head of a guest's request. */
final class Rewriting {
  private static final String CONNECTION = "Connection";
  private static final String UPGRADE = "Upgrade";
  private static final String CLOSE = "close";

  /** Between the guest and this host; what goes on is written anew. */
  private static final Set<String> HOP =
      Set.of(CONNECTION, UPGRADE, "Keep-Alive", "Proxy-Connection", "TE", "HTTP2-Settings");

  private Rewriting() {}

  /**
   * Refuses what could carry headers elsewhere than to the host that the rules are for.
   *
   * @param name of that host
   */
  static void check(RequestHead head, String name) throws BadHttpException, Answer {
    String method = head.method();
    if (method.equals("TRACE") || method.equals("CONNECT")) {
      // A host may answer the one with what was put in, and the other leads anywhere.
      throw new Answer(405, "Method Not Allowed", method + " is not passed on to " + name, method);
    }
    boolean all = method.equals("OPTIONS") && head.target().equals("*");
    if (!all && !head.target().startsWith("/")) {
      throw new BadHttpException("a request for a proxy");
    }
    if (!name.equals(HostNames.ofField(head.host()))) {
      throw new Answer(
          421,
          "Misdirected Request",
          "this connection is for " + name + ", and Host names another one",
          method);
    }
  }

  /** The head with headers in place of those of the same names. */
  static RequestHead with(RequestHead head, Map<String, String> headers) throws BadHttpException {
    Fields fields = head.fields().without(HOP).without(headers.keySet());
    for (Map.Entry<String, String> header : headers.entrySet()) {
      fields = fields.with(header.getKey(), header.getValue());
    }
    if (webSocket(head)) {
      fields = fields.with(UPGRADE, "websocket").with(CONNECTION, UPGRADE);
    } else if (last(head)) {
      fields = fields.with(CONNECTION, CLOSE);
    }
    return head.with(fields);
  }

  /** Whether it asks for a WebSocket; no other protocol is switched to. */
  static boolean webSocket(RequestHead head) throws BadHttpException {
    String to = head.fields().only(UPGRADE);
    return "websocket".equalsIgnoreCase(to)
        && head.method().equals("GET")
        && head.fields().words(CONNECTION).contains("upgrade")
        && head.framing().equals(Framing.NONE);
  }

  /** Whether its body is held back until the host says that it wants it. */
  static boolean waits(RequestHead head) {
    return !head.fields().values("Expect").isEmpty();
  }

  /** Whether no request follows. */
  static boolean last(RequestHead head) {
    return head.version().equals("HTTP/1.0") || head.fields().words(CONNECTION).contains(CLOSE);
  }

  /** Whether no answer follows. */
  static boolean last(ResponseHead head) {
    return head.version().equals("HTTP/1.0") || head.fields().words(CONNECTION).contains(CLOSE);
  }
}
