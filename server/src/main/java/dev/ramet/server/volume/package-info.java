// SPDX-License-Identifier: Apache-2.0
/** Routes of volumes and of what is in them. */
@NullMarked
package dev.ramet.server.volume;

import org.jspecify.annotations.NullMarked;
