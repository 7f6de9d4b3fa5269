// SPDX-License-Identifier: Apache-2.0
/** The interface of the engine to sandboxes, clones and rollbacks. */
@NullMarked
package dev.ramet.engine.sandboxes;

import org.jspecify.annotations.NullMarked;
