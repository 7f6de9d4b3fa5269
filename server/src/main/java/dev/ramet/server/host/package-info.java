// SPDX-License-Identifier: Apache-2.0
/** Opens the engine and provides it to the routes. */
@NullMarked
package dev.ramet.server.host;

import org.jspecify.annotations.NullMarked;
