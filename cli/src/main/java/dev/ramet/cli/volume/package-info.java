// SPDX-License-Identifier: Apache-2.0

/** Commands on volumes. */
@NullMarked
package dev.ramet.cli.volume;

import org.jspecify.annotations.NullMarked;
