// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins that keep the contracts in the heap: examples, and what shows that the kit itself works.
 */
@NullMarked
package dev.ramet.tck.reference;

import org.jspecify.annotations.NullMarked;
