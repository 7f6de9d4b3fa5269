// SPDX-License-Identifier: Apache-2.0
/**
 * A client of Ramet hosts. {@link dev.ramet.client.Ramet} is where it begins.
 *
 * <p>Every failure is a {@link dev.ramet.errors.RametException}: its code is for programs, its
 * message and remedy are for people. Beside the host's own errors there are those of the way to it:
 * UNAVAILABLE when it cannot be reached or the connection breaks, DEADLINE_EXCEEDED when it does
 * not answer in time, and CANCELLED when the calling thread is interrupted, which stays so.
 */
@NullMarked
package dev.ramet.client;

import org.jspecify.annotations.NullMarked;
