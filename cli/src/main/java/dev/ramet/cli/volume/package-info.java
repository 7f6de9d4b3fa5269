// SPDX-License-Identifier: Apache-2.0

/** Commands for volumes. */
@NullMarked
package dev.ramet.cli.volume;

import org.jspecify.annotations.NullMarked;
