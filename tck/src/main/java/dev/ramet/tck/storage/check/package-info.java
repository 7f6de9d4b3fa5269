// SPDX-License-Identifier: Apache-2.0
/** Checks of storage backends, one class for each part of the contract. */
@NullMarked
package dev.ramet.tck.storage.check;

import org.jspecify.annotations.NullMarked;
