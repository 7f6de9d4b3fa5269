// SPDX-License-Identifier: Apache-2.0
/** What callers see of sandboxes, clones and rollbacks. */
@NullMarked
package dev.ramet.engine.sandboxes;

import org.jspecify.annotations.NullMarked;
