// SPDX-License-Identifier: Apache-2.0
/** Finds and guards plugins, probes them, and selects among those that are usable. */
@NullMarked
package dev.ramet.engine.plugin;

import org.jspecify.annotations.NullMarked;
