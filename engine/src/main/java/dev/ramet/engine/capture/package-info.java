// SPDX-License-Identifier: Apache-2.0
/** One capture of a machine: before the pause, paused, and after it. */
@NullMarked
package dev.ramet.engine.capture;

import org.jspecify.annotations.NullMarked;
