// SPDX-License-Identifier: Apache-2.0
/** The commands on secrets. */
@NullMarked
package dev.ramet.cli.secret;

import org.jspecify.annotations.NullMarked;
