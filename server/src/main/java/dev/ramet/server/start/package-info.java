// SPDX-License-Identifier: Apache-2.0
/** Starts a host: the composition root. */
@NullMarked
package dev.ramet.server.start;

import org.jspecify.annotations.NullMarked;
