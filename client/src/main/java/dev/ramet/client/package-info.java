// SPDX-License-Identifier: Apache-2.0
/**
 * The Java client of Ramet hosts. {@link dev.ramet.client.Ramet} is the entry point.
 *
 * <p>Every failure is a {@link dev.ramet.errors.RametException}: its code is for programs, its
 * message and remedy are for people. In addition to the host's own errors there are those of the
 * connection: UNAVAILABLE when the host cannot be reached or the connection breaks,
 * DEADLINE_EXCEEDED when it does not respond in time, and CANCELLED when the calling thread is
 * interrupted; its interrupt status is restored.
 */
@NullMarked
package dev.ramet.client;

import org.jspecify.annotations.NullMarked;
