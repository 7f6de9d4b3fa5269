// SPDX-License-Identifier: Apache-2.0
/** Measures the HTTP API and the way to a guest's ports. */
@NullMarked
package dev.ramet.bench.api;

import org.jspecify.annotations.NullMarked;
