// SPDX-License-Identifier: Apache-2.0
/** The room on the file systems of the roots: how much is left, and what that allows. */
@NullMarked
package dev.ramet.engine.space;

import org.jspecify.annotations.NullMarked;
