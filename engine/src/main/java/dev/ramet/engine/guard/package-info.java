// SPDX-License-Identifier: Apache-2.0
/** Watches the free space below running machines, and machines that their disks have stopped. */
@NullMarked
package dev.ramet.engine.guard;

import org.jspecify.annotations.NullMarked;
