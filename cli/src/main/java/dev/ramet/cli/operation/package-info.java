// SPDX-License-Identifier: Apache-2.0

/** Commands on operations. */
@NullMarked
package dev.ramet.cli.operation;

import org.jspecify.annotations.NullMarked;
