// SPDX-License-Identifier: Apache-2.0
/** Shared by all commands: options, access to a host, output, and errors. */
@NullMarked
package dev.ramet.cli.command;

import org.jspecify.annotations.NullMarked;
