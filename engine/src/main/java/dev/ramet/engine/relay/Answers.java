// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import dev.ramet.engine.http.BadHttpException;
import dev.ramet.engine.http.Field;
import dev.ramet.engine.http.Fields;
import dev.ramet.engine.http.RequestHead;
import dev.ramet.engine.http.ResponseHead;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the relay says to a guest by itself; the connection ends with it. */
final class Answers {
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final int MOST_IGNORED_BYTES = 1 << 20;

  private Answers() {}

  static void refused(Socket guest, RequestHead head, RefusedException why) throws IOException {
    send(guest, 403, "Forbidden", why.getMessage(), head.method());
  }

  static void bad(Socket guest, BadHttpException why) throws IOException {
    send(guest, 400, "Bad Request", why.getMessage(), "");
  }

  static void unreached(Socket guest, RequestHead head, String name) throws IOException {
    send(guest, 502, "Bad Gateway", name + " is not reached from this sandbox", head.method());
  }

  private static void send(
      Socket guest, int status, String reason, @Nullable String why, String method)
      throws IOException {
    byte[] body = (why + "\n").getBytes(StandardCharsets.UTF_8);
    Fields fields =
        new Fields(
            List.of(
                new Field("Content-Type", "text/plain; charset=utf-8"),
                new Field("Content-Length", Integer.toString(body.length)),
                new Field("Connection", "close")));
    OutputStream out = guest.getOutputStream();
    out.write(new ResponseHead("HTTP/1.1", status, reason, fields).bytes());
    if (!method.equals("HEAD")) {
      out.write(body);
    }
    finish(guest);
  }

  /**
   * Says that nothing more comes, and gives the guest the time to read what came. It may wait for
   * that end before it ends its own side, so it is not waited for.
   */
  static void finish(Socket guest) throws IOException {
    guest.shutdownOutput();
    ignore(guest);
  }

  /** What is closed with something unread is reset, and the answer would be lost with it. */
  private static void ignore(Socket guest) throws IOException {
    GuestInput input = new GuestInput(guest);
    input.within(TIME);
    byte[] buffer = new byte[8 << 10];
    int left = MOST_IGNORED_BYTES;
    try {
      for (int n = input.read(buffer); n >= 0 && left > 0; n = input.read(buffer)) {
        left -= n;
      }
    } catch (SocketTimeoutException e) {
      return; // It has had the time to read the answer.
    }
  }
}
