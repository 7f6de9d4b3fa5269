// SPDX-License-Identifier: Apache-2.0
/** Puts headers into the requests of guests, and ends TLS for it. */
@NullMarked
package dev.ramet.engine.headers;

import org.jspecify.annotations.NullMarked;
