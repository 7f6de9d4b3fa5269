// SPDX-License-Identifier: Apache-2.0
/** Ramet's errors: one exception with a stable code that says who must act. */
@NullMarked
package dev.ramet.errors;

import org.jspecify.annotations.NullMarked;
