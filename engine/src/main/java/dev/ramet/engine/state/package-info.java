// SPDX-License-Identifier: Apache-2.0
/** What the engine knows: the manifests of a data root, and the sandboxes that live. */
@NullMarked
package dev.ramet.engine.state;

import org.jspecify.annotations.NullMarked;
