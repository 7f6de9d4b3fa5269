// SPDX-License-Identifier: Apache-2.0
/**
 * The QEMU driver. QEMU saves and loads device state only; guest memory is a file (or memfd) that
 * other processes read from outside and that a restore maps privately.
 */
@NullMarked
package dev.ramet.hypervisors.qemu;

import org.jspecify.annotations.NullMarked;
