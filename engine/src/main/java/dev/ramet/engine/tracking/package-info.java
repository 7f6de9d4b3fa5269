// SPDX-License-Identifier: Apache-2.0
/** Which memory mode a machine is captured with, and what its next capture is relative to. */
@NullMarked
package dev.ramet.engine.tracking;

import org.jspecify.annotations.NullMarked;
