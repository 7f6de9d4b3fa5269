// SPDX-License-Identifier: Apache-2.0

/** The command line: commands that talk to a host over HTTP, and the one that starts a host. */
@NullMarked
package dev.ramet.cli;

import org.jspecify.annotations.NullMarked;
