// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reports each request with the response's status and the time until it arrived. Thread-safe if the
 * receiver of its lines is.
 */
public final class RequestLog {
  private final Consumer<String> lines;
  private final Map<HttpURLConnection, Long> started =
      Collections.synchronizedMap(new IdentityHashMap<>());

  /**
   * Creates a log.
   *
   * @param lines receives {@code GET /doctor: 200 after 12 ms}
   */
  public RequestLog(Consumer<String> lines) {
    this.lines = lines;
  }

  void opened(HttpURLConnection connection) {
    started.put(connection, System.nanoTime());
  }

  void answered(HttpURLConnection connection, int status) {
    print(connection, Integer.toString(status));
  }

  void failed(HttpURLConnection connection, IOException reason) {
    print(connection, reason.getMessage() == null ? reason.toString() : reason.getMessage());
  }

  private void print(HttpURLConnection connection, String result) {
    Long start = started.remove(connection);
    if (start != null) {
      long millis = (System.nanoTime() - start) / 1_000_000;
      lines.accept(
          connection.getRequestMethod()
              + " "
              + connection.getURL().getFile()
              + ": "
              + result
              + " after "
              + millis
              + " ms");
    }
  }
}
