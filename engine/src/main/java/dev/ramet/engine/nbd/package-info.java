// SPDX-License-Identifier: Apache-2.0
/** A client of NBD servers, for images that have no path on this host. */
@NullMarked
package dev.ramet.engine.nbd;

import org.jspecify.annotations.NullMarked;
