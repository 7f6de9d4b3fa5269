// SPDX-License-Identifier: Apache-2.0
/** Records on disk of volumes and snapshots. */
@NullMarked
package dev.ramet.backends.dmsnapshot.record;

import org.jspecify.annotations.NullMarked;
