// SPDX-License-Identifier: Apache-2.0
/**
 * A storage backend in the heap whose images are reached as remote ones are: disks through an NBD
 * server, memory through a fault handler. The example and test bench of such backends.
 */
@NullMarked
package dev.ramet.tck.reference.remote;

import org.jspecify.annotations.NullMarked;
