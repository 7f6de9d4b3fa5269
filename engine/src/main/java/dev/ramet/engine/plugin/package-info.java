// SPDX-License-Identifier: Apache-2.0
/** Finds plugins, probes them and chooses among those that work here. */
@NullMarked
package dev.ramet.engine.plugin;

import org.jspecify.annotations.NullMarked;
