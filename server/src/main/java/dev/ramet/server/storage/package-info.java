// SPDX-License-Identifier: Apache-2.0
/** Routes of storage: its use, its check, exports and imports. */
@NullMarked
package dev.ramet.server.storage;

import org.jspecify.annotations.NullMarked;
