// SPDX-License-Identifier: Apache-2.0
/**
 * Carries guests' connections whose rules go by names of hosts or that leave through a proxy. Every
 * connection and all that belongs to it runs on one event loop; look-ups of names do not.
 */
@NullMarked
package dev.ramet.egress.proxy;

import org.jspecify.annotations.NullMarked;
