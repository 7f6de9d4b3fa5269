// SPDX-License-Identifier: Apache-2.0
/** Errors and running operations. */
@NullMarked
package dev.ramet.api.operation;

import org.jspecify.annotations.NullMarked;
