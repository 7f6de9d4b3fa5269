// SPDX-License-Identifier: Apache-2.0
/** Opens the engine: everything is put together here. */
@NullMarked
package dev.ramet.engine.start;

import org.jspecify.annotations.NullMarked;
