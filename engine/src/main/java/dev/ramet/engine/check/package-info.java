// SPDX-License-Identifier: Apache-2.0
/** Checks of what is stored in the roots, and its repair. */
@NullMarked
package dev.ramet.engine.check;

import org.jspecify.annotations.NullMarked;
