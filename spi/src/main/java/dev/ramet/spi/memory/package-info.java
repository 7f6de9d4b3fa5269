// SPDX-License-Identifier: Apache-2.0
/** The contract of memory modes, which decide which pages of a paused VM must be written. */
@NullMarked
package dev.ramet.spi.memory;

import org.jspecify.annotations.NullMarked;
