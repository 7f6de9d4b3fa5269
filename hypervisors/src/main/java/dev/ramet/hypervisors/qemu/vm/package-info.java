// SPDX-License-Identifier: Apache-2.0
/** Virtual machines: starting, pausing, saving and tracking their disks. */
@NullMarked
package dev.ramet.hypervisors.qemu.vm;

import org.jspecify.annotations.NullMarked;
