// SPDX-License-Identifier: Apache-2.0
/** Other processes: their state and mappings from /proc, and their memory. */
@NullMarked
package dev.ramet.linux.process;

import org.jspecify.annotations.NullMarked;
