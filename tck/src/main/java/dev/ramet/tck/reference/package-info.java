// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins that keep the contracts in the heap: they are examples, and show that the kit itself
 * works.
 */
@NullMarked
package dev.ramet.tck.reference;

import org.jspecify.annotations.NullMarked;
