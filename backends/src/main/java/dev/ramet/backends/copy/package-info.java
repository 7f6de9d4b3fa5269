// SPDX-License-Identifier: Apache-2.0
/** Ways to copy the contents of a file. */
@NullMarked
package dev.ramet.backends.copy;

import org.jspecify.annotations.NullMarked;
