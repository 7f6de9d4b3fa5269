// SPDX-License-Identifier: Apache-2.0
/**
 * End-to-end benchmarks of an installed Ramet, each compared with a floor measured in the same run.
 */
@NullMarked
package dev.ramet.bench;

import org.jspecify.annotations.NullMarked;
