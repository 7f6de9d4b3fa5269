// SPDX-License-Identifier: Apache-2.0
/** Checks of memory modes, on the memory of a process that the kit starts. */
@NullMarked
package dev.ramet.tck.memory;

import org.jspecify.annotations.NullMarked;
