// SPDX-License-Identifier: Apache-2.0
/** Netty's event loops and channels, as the proxy uses them. */
@NullMarked
package dev.ramet.egress.stream;

import org.jspecify.annotations.NullMarked;
