// SPDX-License-Identifier: Apache-2.0
/**
 * A hypervisor and a memory mode that keep the contracts in another way than the plugins in the
 * heap: machines are processes with a tap device, which record their disks' paths, change memory
 * during a save, and log written pages.
 */
@NullMarked
package dev.ramet.tck.reference.micro;

import org.jspecify.annotations.NullMarked;
