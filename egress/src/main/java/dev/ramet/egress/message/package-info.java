// SPDX-License-Identifier: Apache-2.0
/** Strict parsing of HTTP messages and TLS greetings. */
@NullMarked
package dev.ramet.egress.message;

import org.jspecify.annotations.NullMarked;
