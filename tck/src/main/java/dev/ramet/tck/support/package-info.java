// SPDX-License-Identifier: Apache-2.0
/** Helpers shared by the checks of all contracts. */
@NullMarked
package dev.ramet.tck.support;

import org.jspecify.annotations.NullMarked;
