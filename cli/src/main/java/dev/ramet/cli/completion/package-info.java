// SPDX-License-Identifier: Apache-2.0
/** The completion of shells: scripts made of the commands, and the live ids that they ask for. */
@NullMarked
package dev.ramet.cli.completion;

import org.jspecify.annotations.NullMarked;
