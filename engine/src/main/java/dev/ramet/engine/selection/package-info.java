// SPDX-License-Identifier: Apache-2.0
/**
 * The selection of plugins that the engine uses on this host, and the doctor that reports on it.
 */
@NullMarked
package dev.ramet.engine.selection;

import org.jspecify.annotations.NullMarked;
