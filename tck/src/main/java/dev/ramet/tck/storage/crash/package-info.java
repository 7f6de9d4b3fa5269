// SPDX-License-Identifier: Apache-2.0
/** Checks of storage backends whose process or host dies in the middle of a change. */
@NullMarked
package dev.ramet.tck.storage.crash;

import org.jspecify.annotations.NullMarked;
