// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http.Head;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ground for tests of HTTP/2. */
@Timeout(900)
abstract class Http2Ground {
  /** Shared by all tests, so that the certificate is issued once. */
  @TempDir static Path root;

  TlsHost tls;
  HttpClient client;

  @BeforeEach
  void start() throws Exception {
    tls = new TlsHost(root, Map.of());
    client = tls.client(HttpClient.Version.HTTP_2);
  }

  @AfterEach
  void close() {
    tls.close();
  }

  static Guest answering(CountDownLatch go) throws IOException {
    return new Guest(
        http -> {
          for (Head head = http.head(); head != null; head = http.head()) {
            StreamingTest.await(go);
            String text = "" + http.skipBody(head);
            http.send("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
          }
        });
  }
}
