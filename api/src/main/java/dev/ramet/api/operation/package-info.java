// SPDX-License-Identifier: Apache-2.0
/** Errors, and what the host is doing. */
@NullMarked
package dev.ramet.api.operation;

import org.jspecify.annotations.NullMarked;
