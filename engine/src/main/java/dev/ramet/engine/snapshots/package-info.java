// SPDX-License-Identifier: Apache-2.0
/** The interface of the engine to snapshots and captures. */
@NullMarked
package dev.ramet.engine.snapshots;

import org.jspecify.annotations.NullMarked;
