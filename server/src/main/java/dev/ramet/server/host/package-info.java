// SPDX-License-Identifier: Apache-2.0
/** Opens the engine and lends it to the routes. */
@NullMarked
package dev.ramet.server.host;

import org.jspecify.annotations.NullMarked;
