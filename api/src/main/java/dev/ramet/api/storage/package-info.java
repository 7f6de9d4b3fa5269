// SPDX-License-Identifier: Apache-2.0
/** What is stored: its use, its check, exports and imports. */
@NullMarked
package dev.ramet.api.storage;

import org.jspecify.annotations.NullMarked;
