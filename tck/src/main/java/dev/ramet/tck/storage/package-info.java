// SPDX-License-Identifier: Apache-2.0
/**
 * The harness that a storage backend's test gives the kit: the backend, a place to work in, and
 * what else the place supports.
 */
@NullMarked
package dev.ramet.tck.storage;

import org.jspecify.annotations.NullMarked;
