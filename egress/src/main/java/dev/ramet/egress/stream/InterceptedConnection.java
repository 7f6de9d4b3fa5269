// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

import dev.ramet.egress.proxy.RefusedException;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;

/** One connection of a guest, as its handlers see it. Used on the guest's event loop. */
public interface InterceptedConnection {
  /** Returns the guest's side, which reads only on request. */
  Channel guest();

  /**
   * Connects to a host by name, at the port that the guest chose, under the sandbox's rules and
   * through its proxy, if it has one. The address that the guest chose is not used.
   *
   * @param name in lower case, without a trailing dot
   * @return a connection on the guest's event loop that reads only on request and is closed with
   *     the guest's; fails with a {@link RefusedException} if the rules do not allow the name or
   *     its addresses
   */
  CompletableFuture<Channel> connect(String name);

  /** Records that one side sends no more; once both have ended, the connection is closed. */
  void sideEnded();

  /**
   * Closes the guest's side gracefully, after everything written, and with time for the guest to
   * read it. Hosts are disconnected at once.
   */
  void finish();

  /** Resets all sides, so that none takes a partial message for a complete one. Idempotent. */
  void reset();
}
