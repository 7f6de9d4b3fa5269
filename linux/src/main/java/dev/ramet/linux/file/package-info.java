// SPDX-License-Identifier: Apache-2.0
/** Files: descriptors, extents, clones, and the page cache. */
@NullMarked
package dev.ramet.linux.file;

import org.jspecify.annotations.NullMarked;
