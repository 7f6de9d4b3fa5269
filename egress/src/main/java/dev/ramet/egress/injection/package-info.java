// SPDX-License-Identifier: Apache-2.0
/** Puts headers into the requests of guests, and terminates their TLS to do so. */
@NullMarked
package dev.ramet.egress.injection;

import org.jspecify.annotations.NullMarked;
