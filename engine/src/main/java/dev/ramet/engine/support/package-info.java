// SPDX-License-Identifier: Apache-2.0
/** Small tools of the engine: ids, names, undoing, and errors of its own files. */
@NullMarked
package dev.ramet.engine.support;

import org.jspecify.annotations.NullMarked;
