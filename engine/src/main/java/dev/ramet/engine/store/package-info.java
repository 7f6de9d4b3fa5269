// SPDX-License-Identifier: Apache-2.0
/** What the engine keeps on disk: the layout of a data root and its manifests. */
@NullMarked
package dev.ramet.engine.store;

import org.jspecify.annotations.NullMarked;
