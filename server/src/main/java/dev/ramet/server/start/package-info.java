// SPDX-License-Identifier: Apache-2.0
/** Starts a host: everything is put together here. */
@NullMarked
package dev.ramet.server.start;

import org.jspecify.annotations.NullMarked;
