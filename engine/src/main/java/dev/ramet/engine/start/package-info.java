// SPDX-License-Identifier: Apache-2.0
/** Opens the engine: creates all its parts and connects them. */
@NullMarked
package dev.ramet.engine.start;

import org.jspecify.annotations.NullMarked;
