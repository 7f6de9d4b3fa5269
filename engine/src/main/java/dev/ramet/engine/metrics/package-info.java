// SPDX-License-Identifier: Apache-2.0
/** Counters, histograms and gauges of the engine. */
@NullMarked
package dev.ramet.engine.metrics;

import org.jspecify.annotations.NullMarked;
