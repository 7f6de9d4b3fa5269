// SPDX-License-Identifier: Apache-2.0
/** Routes for storage: usage, checks, exports and imports. */
@NullMarked
package dev.ramet.server.storage;

import org.jspecify.annotations.NullMarked;
