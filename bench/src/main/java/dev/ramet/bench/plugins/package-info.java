// SPDX-License-Identifier: Apache-2.0
/** Measures what plugins of third parties cost compared with built-in ones. */
@NullMarked
package dev.ramet.bench.plugins;

import org.jspecify.annotations.NullMarked;
