// SPDX-License-Identifier: Apache-2.0
/** Programs in a sandbox: with plain streams, or with a terminal. */
@NullMarked
package dev.ramet.cli.shell;

import org.jspecify.annotations.NullMarked;
