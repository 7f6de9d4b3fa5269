// SPDX-License-Identifier: Apache-2.0
/** Data roots: marking, opening, scanning and examining them. */
@NullMarked
package dev.ramet.backends.root;

import org.jspecify.annotations.NullMarked;
