// SPDX-License-Identifier: Apache-2.0
/** Where two images differ: by their extents first, by their bytes second. */
@NullMarked
package dev.ramet.engine.diff;

import org.jspecify.annotations.NullMarked;
