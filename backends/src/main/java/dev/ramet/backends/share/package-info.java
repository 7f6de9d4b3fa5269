// SPDX-License-Identifier: Apache-2.0
/** Files that share blocks: copies prepared ahead, differences in extents, and compaction. */
@NullMarked
package dev.ramet.backends.share;

import org.jspecify.annotations.NullMarked;
