// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.engine.http.Field;
import dev.ramet.engine.http.Fields;
import dev.ramet.engine.http.ResponseHead;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What this host says to a guest by itself in place of passing a request on. */
final class Answer extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String reason;
  private final String text;
  private final boolean bodiless;

  Answer(int status, String reason, String text, String method) {
    super(status + " " + reason + ": " + text);
    this.status = status;
    this.reason = reason;
    this.text = text;
    this.bodiless = method.equals("HEAD");
  }

  /** Says it, as the last on this connection. */
  void send(OutputStream out) throws IOException {
    byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    Fields fields =
        new Fields(
            List.of(
                new Field("Content-Type", "text/plain; charset=utf-8"),
                new Field("Content-Length", Integer.toString(body.length)),
                new Field("Connection", "close")));
    out.write(new ResponseHead("HTTP/1.1", status, reason, fields).bytes());
    if (!bodiless) {
      out.write(body);
    }
    out.flush();
  }
}
