// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import io.netty.channel.Channel;
import java.time.Duration;

/** A connection to an upstream, kept for further requests. Used on its event loop. */
final class UpstreamConnection {
  /** Servers close idle connections, most of them after five seconds or later. */
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

  /** Records that a request was answered completely. */
  void becomeIdle() {
    used = true;
    idleSinceNanos = System.nanoTime();
  }

  /** Returns whether it has carried a request before, so that the host may have closed it since. */
  boolean isReused() {
    return used;
  }

  /** Returns whether it can probably carry another request. */
  boolean isUsable() {
    return channel.isActive() && (!used || System.nanoTime() - idleSinceNanos < KEPT.toNanos());
  }
}
