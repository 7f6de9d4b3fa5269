// SPDX-License-Identifier: Apache-2.0

/** The command line: commands that call a host over HTTP, and the command that starts a host. */
@NullMarked
package dev.ramet.cli;

import org.jspecify.annotations.NullMarked;
