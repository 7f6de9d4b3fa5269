// SPDX-License-Identifier: Apache-2.0
/** The QEMU Machine Protocol: commands, answers, events and deadlines. */
@NullMarked
package dev.ramet.hypervisors.qemu.monitor;

import org.jspecify.annotations.NullMarked;
