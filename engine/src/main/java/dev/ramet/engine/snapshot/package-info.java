// SPDX-License-Identifier: Apache-2.0
/** The operations on snapshots that callers use. */
@NullMarked
package dev.ramet.engine.snapshot;

import org.jspecify.annotations.NullMarked;
