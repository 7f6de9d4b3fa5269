// SPDX-License-Identifier: Apache-2.0
/**
 * The data plane: forwards HTTP requests that name a sandbox and a port to the guest. It sits in
 * each connection's pipeline before the framework's routing and streams in both directions;
 * requests that name no sandbox continue to routing. Each client connection runs in one event loop,
 * together with its connections to guests, so these classes need no locks.
 */
@NullMarked
package dev.ramet.server.dataplane;

import org.jspecify.annotations.NullMarked;
