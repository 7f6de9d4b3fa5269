// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A monitor that does not do its part costs its caller the deadline and nothing more. */
@Timeout(20)
class QmpTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir private Path directory;

  private ServerSocketChannel listen(int backlog) throws Exception {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(directory.resolve("socket")), backlog);
    return server;
  }

  private void runsIntoItsDeadline() {
    long start = System.nanoTime();
    QmpException e =
        assertThrows(
            QmpException.class,
            () -> Qmp.connect(directory.resolve("socket"), () -> true, Deadline.after(SHORT)));
    assertEquals(QmpException.Kind.TIMEOUT, e.kind());
    assertTrue(System.nanoTime() - start < 10 * SHORT.toNanos());
  }

  @Test
  void oneThatAcceptsAndNeverSpeaks() throws Exception {
    try (ServerSocketChannel server = listen(1)) {
      Thread accepting = new Thread(() -> accept(server));
      accepting.setDaemon(true);
      accepting.start();
      runsIntoItsDeadline();
    }
  }

  private static void accept(ServerSocketChannel server) {
    List<SocketChannel> kept = new ArrayList<>();
    try {
      while (kept.size() < 100) {
        kept.add(server.accept());
      }
    } catch (java.io.IOException closed) {
      // The test is over.
    }
  }

  @Test
  void oneThatTakesNobodyAnyMore() throws Exception {
    List<SocketChannel> waiting = new ArrayList<>();
    try (ServerSocketChannel server = listen(1)) {
      // Until connect(2) would block: the queue of a unix socket holds one more than its backlog.
      boolean queued = true;
      while (queued) {
        SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
        waiting.add(one);
        one.configureBlocking(false);
        try {
          queued = one.connect(UnixDomainSocketAddress.of(directory.resolve("socket")));
        } catch (SocketException full) {
          queued = false;
        }
      }
      runsIntoItsDeadline();
    } finally {
      for (SocketChannel one : waiting) {
        one.close();
      }
    }
  }

  @Test
  void oneThatIsNotThere() {
    runsIntoItsDeadline();
  }
}
