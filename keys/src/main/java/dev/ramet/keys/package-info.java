// SPDX-License-Identifier: Apache-2.0
/** API keys as they are kept: their file, what each is for, and their digests. */
@NullMarked
package dev.ramet.keys;

import org.jspecify.annotations.NullMarked;
