// SPDX-License-Identifier: Apache-2.0
/** Sandboxes: made, changed, cloned, forked and rolled back. */
@NullMarked
package dev.ramet.api.sandbox;

import org.jspecify.annotations.NullMarked;
