// SPDX-License-Identifier: Apache-2.0
/**
 * The measured host, its machines and its command line, and the floors that results are compared
 * with.
 */
@NullMarked
package dev.ramet.bench.host;

import org.jspecify.annotations.NullMarked;
