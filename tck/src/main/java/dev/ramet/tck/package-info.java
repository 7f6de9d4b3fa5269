// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance kit for plugin authors. A storage backend's test class extends {@link
 * dev.ramet.tck.StorageBackendTck} and gives it a {@link dev.ramet.tck.storage.StorageHarness}: the
 * provider under test, a place to work in, and what else the place supports. A capability that the
 * backend states is tested; one that it does not state must be absent.
 *
 * <p>A memory mode's test class extends {@link dev.ramet.tck.MemoryModeTck}.
 *
 * <p>{@link dev.ramet.tck.reference.ReferenceBackend} keeps the contract in the heap: it is an
 * example, and it shows that the kit itself works.
 */
@NullMarked
package dev.ramet.tck;

import org.jspecify.annotations.NullMarked;
