// SPDX-License-Identifier: Apache-2.0

/** Text output for people: tables, sizes, times, progress. */
@NullMarked
package dev.ramet.cli.term;

import org.jspecify.annotations.NullMarked;
