// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane.address;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint of a server in a guest.
 *
 * @param address the host address that is forwarded to its port
 * @param tls whether it speaks TLS
 * @param host the Host header to send, or null for the one of the request
 */
public record GuestEndpoint(InetSocketAddress address, boolean tls, @Nullable String host) {}
