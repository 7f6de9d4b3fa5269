// SPDX-License-Identifier: Apache-2.0
/** The proxy's use of Netty's event loops and channels. */
@NullMarked
package dev.ramet.egress.stream;

import org.jspecify.annotations.NullMarked;
