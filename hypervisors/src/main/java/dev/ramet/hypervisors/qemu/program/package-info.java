// SPDX-License-Identifier: Apache-2.0
/** The installed program, what it can do, and its command line. */
@NullMarked
package dev.ramet.hypervisors.qemu.program;

import org.jspecify.annotations.NullMarked;
