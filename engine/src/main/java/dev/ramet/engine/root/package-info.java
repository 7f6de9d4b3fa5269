// SPDX-License-Identifier: Apache-2.0
/** Data roots: found, locked, opened. */
@NullMarked
package dev.ramet.engine.root;

import org.jspecify.annotations.NullMarked;
