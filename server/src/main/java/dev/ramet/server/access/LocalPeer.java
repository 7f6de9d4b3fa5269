// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.util.Optional;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * The local user at the other end of the unix socket, as the kernel knows it (unix(7), {@code
 * SO_PEERCRED}). Immutable and thread-safe.
 *
 * @param user the user's name, or the digits of its id
 * @param group the group's name, or the digits of its id
 */
record LocalPeer(String user, String group) {
  /** Used instead of an address for callers on the socket. */
  static final String REMOTE = "unix";

  /** Returns the sender of a request, or empty when the request came over TCP. */
  static Optional<LocalPeer> ofRequest(HttpRequest<?> request) {
    if (!(request instanceof NettyHttpRequest<?> netty)) {
      return Optional.empty();
    }
    Channel channel = netty.getChannelHandlerContext().channel();
    Channel connection =
        channel.parent() instanceof NioDomainSocketChannel parent ? parent : channel;
    if (!(connection instanceof NioDomainSocketChannel)) {
      return Optional.empty();
    }
    UnixDomainPrincipal peer =
        connection.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
    return Optional.of(
        peer == null
            ? new LocalPeer("unknown", "unknown")
            : new LocalPeer(peer.user().getName(), peer.group().getName()));
  }
}
