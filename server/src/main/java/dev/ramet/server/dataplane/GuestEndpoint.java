// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server in a guest, as requests come to it.
 *
 * @param address the host address that leads to its port
 * @param tls whether it speaks TLS
 * @param host the Host header that it sees, or null for the one that a request has
 */
record GuestEndpoint(InetSocketAddress address, boolean tls, @Nullable String host) {}
