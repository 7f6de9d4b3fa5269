// SPDX-License-Identifier: Apache-2.0
/** Storage: usage, checks, exports and imports. */
@NullMarked
package dev.ramet.api.storage;

import org.jspecify.annotations.NullMarked;
