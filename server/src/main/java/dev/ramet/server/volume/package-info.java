// SPDX-License-Identifier: Apache-2.0
/** Routes for volumes and their files. */
@NullMarked
package dev.ramet.server.volume;

import org.jspecify.annotations.NullMarked;
