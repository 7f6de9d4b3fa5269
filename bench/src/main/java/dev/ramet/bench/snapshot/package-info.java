// SPDX-License-Identifier: Apache-2.0
/** Measures snapshots, clones and restores of running machines. */
@NullMarked
package dev.ramet.bench.snapshot;

import org.jspecify.annotations.NullMarked;
