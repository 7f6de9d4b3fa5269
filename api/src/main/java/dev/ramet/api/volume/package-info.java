// SPDX-License-Identifier: Apache-2.0
/** Volumes that sandboxes share. */
@NullMarked
package dev.ramet.api.volume;

import org.jspecify.annotations.NullMarked;
