// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.proxy;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server in a guest, as requests come to it.
 *
 * @param address the host address that leads to its port
 * @param tls whether it speaks TLS
 * @param host the Host header that it sees, or null for the one that a request has
 */
record Guest(InetSocketAddress address, boolean tls, @Nullable String host) {}
