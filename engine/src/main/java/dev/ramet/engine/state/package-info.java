// SPDX-License-Identifier: Apache-2.0
/**
 * The persistent state of the engine: the manifests of a data root, and the sandboxes that are
 * live.
 */
@NullMarked
package dev.ramet.engine.state;

import org.jspecify.annotations.NullMarked;
