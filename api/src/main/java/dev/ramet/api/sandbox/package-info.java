// SPDX-License-Identifier: Apache-2.0
/** Sandboxes: create, change, clone, fork and roll back. */
@NullMarked
package dev.ramet.api.sandbox;

import org.jspecify.annotations.NullMarked;
