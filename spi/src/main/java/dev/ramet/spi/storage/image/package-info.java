// SPDX-License-Identifier: Apache-2.0
/** Formats of disk images, and the cost and progress of copying them. */
@NullMarked
package dev.ramet.spi.storage.image;

import org.jspecify.annotations.NullMarked;
