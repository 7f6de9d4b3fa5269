// SPDX-License-Identifier: Apache-2.0
/** Data roots: finding, locking and opening them. */
@NullMarked
package dev.ramet.engine.root;

import org.jspecify.annotations.NullMarked;
