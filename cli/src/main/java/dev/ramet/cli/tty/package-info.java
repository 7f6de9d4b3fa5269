// SPDX-License-Identifier: Apache-2.0
/** The terminal that the command line was started on: its mode, its size, and signals. */
@NullMarked
package dev.ramet.cli.tty;

import org.jspecify.annotations.NullMarked;
