// SPDX-License-Identifier: Apache-2.0
/** Snapshots, captures, and what differs between two of them. */
@NullMarked
package dev.ramet.api.snapshot;

import org.jspecify.annotations.NullMarked;
