// SPDX-License-Identifier: Apache-2.0
/** The life of sandboxes: made, paused, cloned, rolled back, ended. */
@NullMarked
package dev.ramet.engine.sandbox;

import org.jspecify.annotations.NullMarked;
