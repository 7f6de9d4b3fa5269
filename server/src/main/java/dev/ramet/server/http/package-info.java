// SPDX-License-Identifier: Apache-2.0
/** What holds for every request before it is routed. */
@NullMarked
package dev.ramet.server.http;

import org.jspecify.annotations.NullMarked;
