// SPDX-License-Identifier: Apache-2.0
/** What goes wrong: one exception with a stable code, and who must act on it. */
@NullMarked
package dev.ramet.errors;

import org.jspecify.annotations.NullMarked;
