// SPDX-License-Identifier: Apache-2.0
/** The choreography: how sandboxes start, are captured, rolled back, cloned and found again. */
@NullMarked
package dev.ramet.engine.core;

import org.jspecify.annotations.NullMarked;
