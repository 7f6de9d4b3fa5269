// SPDX-License-Identifier: Apache-2.0
/** Measured values, and the report that a suite writes. */
@NullMarked
package dev.ramet.bench.report;

import org.jspecify.annotations.NullMarked;
