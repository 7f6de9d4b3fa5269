// SPDX-License-Identifier: Apache-2.0
/** Reads heads and bodies of HTTP/1.1 strictly: what could be understood in two ways is refused. */
@NullMarked
package dev.ramet.engine.http;

import org.jspecify.annotations.NullMarked;
