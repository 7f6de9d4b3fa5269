// SPDX-License-Identifier: Apache-2.0
/** Stored API keys: their file, scopes and digests. */
@NullMarked
package dev.ramet.keys;

import org.jspecify.annotations.NullMarked;
