// SPDX-License-Identifier: Apache-2.0
/**
 * The page writer: reads the pages that a memory mode selected from a machine and writes them into
 * a memory image, the same way for all modes; and comparisons of images.
 */
@NullMarked
package dev.ramet.engine.pages;

import org.jspecify.annotations.NullMarked;
