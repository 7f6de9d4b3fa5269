// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

import dev.ramet.egress.proxy.RefusedException;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;

/** One connection of a guest, as its handlers see it. Used on the guest's event loop. */
public interface InterceptedConnection {
  /** The guest's side. It reads only when it is asked to. */
  Channel guest();

  /**
   * Connects to a host by its name, at the port that the guest asked for, under the sandbox's rules
   * and through its proxy, if it has one. The addresses that the guest chose are not used.
   *
   * @param name in lower case, without a dot at its end
   * @return on the guest's event loop, reading only when asked, and closed with the guest; fails
   *     with a {@link RefusedException} when the rules do not allow the name or its addresses
   */
  CompletableFuture<Channel> connect(String name);

  /** Notes that one side will send no more; when both have ended, the connection is closed. */
  void sideEnded();

  /**
   * Ends the guest's side in order: after all that was written, and with the time to read it. Hosts
   * are disconnected at once.
   */
  void finish();

  /** Resets all sides, so that none takes a part for the whole. Idempotent. */
  void reset();
}
