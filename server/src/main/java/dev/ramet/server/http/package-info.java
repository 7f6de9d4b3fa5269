// SPDX-License-Identifier: Apache-2.0
/** HTTP basics of all routes: bodies, field checks, errors, paging and accepted host names. */
@NullMarked
package dev.ramet.server.http;

import org.jspecify.annotations.NullMarked;
