// SPDX-License-Identifier: Apache-2.0
/**
 * What a storage backend's test gives the kit: the backend, a place to work in, and what else the
 * place can do.
 */
@NullMarked
package dev.ramet.tck.storage;

import org.jspecify.annotations.NullMarked;
