// SPDX-License-Identifier: Apache-2.0
/**
 * The page writer: takes the pages that a memory mode selected out of a paused machine and puts
 * them into a memory image, one way for all modes.
 */
@NullMarked
package dev.ramet.engine.pages;

import org.jspecify.annotations.NullMarked;
