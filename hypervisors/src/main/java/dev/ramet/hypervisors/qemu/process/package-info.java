// SPDX-License-Identifier: Apache-2.0
/** A process of QEMU: its files, its monitor and its ports. */
@NullMarked
package dev.ramet.hypervisors.qemu.process;

import org.jspecify.annotations.NullMarked;
