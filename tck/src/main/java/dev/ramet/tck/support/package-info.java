// SPDX-License-Identifier: Apache-2.0
/** What checks of all contracts use. */
@NullMarked
package dev.ramet.tck.support;

import org.jspecify.annotations.NullMarked;
