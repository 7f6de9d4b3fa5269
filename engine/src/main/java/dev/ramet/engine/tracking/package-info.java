// SPDX-License-Identifier: Apache-2.0
/**
 * The choice of memory mode for a capture, and the image that a machine's next capture is relative
 * to.
 */
@NullMarked
package dev.ramet.engine.tracking;

import org.jspecify.annotations.NullMarked;
