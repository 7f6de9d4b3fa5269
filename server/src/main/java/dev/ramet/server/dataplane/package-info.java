// SPDX-License-Identifier: Apache-2.0
/**
 * The data plane: carries HTTP requests that name a sandbox and a port into the guest. It stands in
 * each connection's pipeline before the framework's routing and streams both ways; whatever names
 * no sandbox goes on to routing. Everything of one client connection, the guest's end included,
 * runs in one event loop, so that these classes need no locks.
 */
@NullMarked
package dev.ramet.server.dataplane;

import org.jspecify.annotations.NullMarked;
