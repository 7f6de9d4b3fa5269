// SPDX-License-Identifier: Apache-2.0
/** The components that the engine's operations share. */
@NullMarked
package dev.ramet.engine.core;

import org.jspecify.annotations.NullMarked;
