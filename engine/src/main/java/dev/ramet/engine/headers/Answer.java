// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.engine.http.Field;
import dev.ramet.engine.http.Fields;
import dev.ramet.engine.http.ResponseHead;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What this host says to a guest by itself in place of passing a request on. */
final class Answer extends IOException {
  private static final long serialVersionUID = 1L;
  private static final int MOST_IGNORED_BYTES = 1 << 20;

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
  void send(InputStream in, OutputStream out) throws IOException {
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
    // What is closed with something unread is reset, and the answer would be lost with it.
    byte[] buffer = new byte[8 << 10];
    int left = MOST_IGNORED_BYTES;
    for (int n = in.read(buffer); n >= 0 && left > 0; n = in.read(buffer)) {
      left -= n;
    }
  }
}
