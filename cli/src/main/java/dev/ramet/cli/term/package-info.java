// SPDX-License-Identifier: Apache-2.0

/** What a person sees: tables, sizes, times, progress. */
@NullMarked
package dev.ramet.cli.term;

import org.jspecify.annotations.NullMarked;
