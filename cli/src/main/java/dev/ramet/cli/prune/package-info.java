// SPDX-License-Identifier: Apache-2.0
/** The command that removes what nobody needs any more. */
@NullMarked
package dev.ramet.cli.prune;

import org.jspecify.annotations.NullMarked;
