// SPDX-License-Identifier: Apache-2.0
/** What the engine counts. */
@NullMarked
package dev.ramet.engine.metrics;

import org.jspecify.annotations.NullMarked;
