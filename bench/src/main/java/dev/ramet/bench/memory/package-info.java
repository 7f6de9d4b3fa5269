// SPDX-License-Identifier: Apache-2.0
/** Measures what capturing memory costs, for each memory mode. */
@NullMarked
package dev.ramet.bench.memory;

import org.jspecify.annotations.NullMarked;
