// SPDX-License-Identifier: Apache-2.0
/** Measures storage backends without machines. */
@NullMarked
package dev.ramet.bench.storage;

import org.jspecify.annotations.NullMarked;
