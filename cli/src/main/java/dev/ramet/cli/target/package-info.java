// SPDX-License-Identifier: Apache-2.0
/** Chooses the host that a command asks, and keeps the saved contexts. */
@NullMarked
package dev.ramet.cli.target;

import org.jspecify.annotations.NullMarked;
