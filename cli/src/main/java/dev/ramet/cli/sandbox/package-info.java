// SPDX-License-Identifier: Apache-2.0

/** Commands for sandboxes. */
@NullMarked
package dev.ramet.cli.sandbox;

import org.jspecify.annotations.NullMarked;
