// SPDX-License-Identifier: Apache-2.0
/** Routes for snapshots. */
@NullMarked
package dev.ramet.server.snapshot;

import org.jspecify.annotations.NullMarked;
