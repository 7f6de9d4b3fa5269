// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance kit for plugin authors. A storage backend's test class extends {@link
 * dev.ramet.tck.StorageBackendTck} and gives it a {@link dev.ramet.tck.storage.StorageHarness}: the
 * provider under test, a place to work in, and what else the place can do. What the backend states
 * it can do is tested; what it does not state is not asked for, and must not be there.
 *
 * <p>A memory mode's test class extends {@link dev.ramet.tck.MemoryModeTck}.
 *
 * <p>{@link dev.ramet.tck.reference.ReferenceBackend} keeps the contract in the heap: an example,
 * and what shows that the kit itself works.
 */
@NullMarked
package dev.ramet.tck;

import org.jspecify.annotations.NullMarked;
