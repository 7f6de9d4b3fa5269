// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import io.netty.channel.Channel;
import java.time.Duration;

/**
 * A connection to the host that a guest asks, kept for further requests. Used on its event loop.
 */
final class UpstreamConnection {
  /** Servers close what idles; most of them after five seconds, or later. */
  private static final Duration KEPT = Duration.ofSeconds(4);

  private final Channel channel;
  private boolean used;
  private long idleSinceNanos;

  UpstreamConnection(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  /** A request was answered to its end. */
  void rests() {
    used = true;
    idleSinceNanos = System.nanoTime();
  }

  /** Whether it has carried a request before, so that the host may have closed it meanwhile. */
  boolean used() {
    return used;
  }

  /** Whether it can probably carry another request. */
  boolean usable() {
    return channel.isActive() && (!used || System.nanoTime() - idleSinceNanos < KEPT.toNanos());
  }
}
