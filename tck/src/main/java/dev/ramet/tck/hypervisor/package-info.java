// SPDX-License-Identifier: Apache-2.0
/** Checks of hypervisor drivers, and the harness that such a test gives the kit. */
@NullMarked
package dev.ramet.tck.hypervisor;

import org.jspecify.annotations.NullMarked;
