// SPDX-License-Identifier: Apache-2.0
/**
 * The QEMU driver. QEMU saves and loads device state only. Guest memory is a file (or memfd):
 * others read it from outside the process, and a restore maps it privately.
 */
@NullMarked
package dev.ramet.hypervisors.qemu;

import org.jspecify.annotations.NullMarked;
