// SPDX-License-Identifier: Apache-2.0
/** The contract of hypervisors: boot, pause, save devices, restore. */
@NullMarked
package dev.ramet.spi.hypervisor;

import org.jspecify.annotations.NullMarked;
