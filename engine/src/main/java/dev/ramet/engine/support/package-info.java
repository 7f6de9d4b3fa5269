// SPDX-License-Identifier: Apache-2.0
/** Small helpers of the engine: ids, names, undo, and errors of its own files. */
@NullMarked
package dev.ramet.engine.support;

import org.jspecify.annotations.NullMarked;
