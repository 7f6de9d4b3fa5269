// SPDX-License-Identifier: Apache-2.0

/** Commands for snapshots. */
@NullMarked
package dev.ramet.cli.snapshot;

import org.jspecify.annotations.NullMarked;
