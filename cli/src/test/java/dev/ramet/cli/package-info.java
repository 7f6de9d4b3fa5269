// SPDX-License-Identifier: Apache-2.0

/** Tests of the command line against a host that answers what it is told to. */
@NullMarked
package dev.ramet.cli;

import org.jspecify.annotations.NullMarked;
