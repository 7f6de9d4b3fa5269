// SPDX-License-Identifier: Apache-2.0
/** Carries guests' connections whose rules go by names of hosts or that leave through a proxy. */
@NullMarked
package dev.ramet.engine.relay;

import org.jspecify.annotations.NullMarked;
