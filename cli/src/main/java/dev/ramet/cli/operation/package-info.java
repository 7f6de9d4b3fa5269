// SPDX-License-Identifier: Apache-2.0

/** Commands for operations. */
@NullMarked
package dev.ramet.cli.operation;

import org.jspecify.annotations.NullMarked;
