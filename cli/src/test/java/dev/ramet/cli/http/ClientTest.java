// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests peers that are not hosts. */
@Timeout(900)
final class ClientTest {
  /** The kernel accepts the connection, and the peer stays silent. */
  @Test
  void aSilentPeerIsNotWaitedForAsLongAsAnAnswer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Client client =
          new Client("https://127.0.0.1:" + silent.getLocalPort(), null, null, null, 200);
      RametException e = assertThrows(RametException.class, () -> client.get("/health"));
      assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
    }
  }
}
