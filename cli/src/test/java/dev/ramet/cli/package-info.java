// SPDX-License-Identifier: Apache-2.0

/** Tests of the command line against a scripted host. */
@NullMarked
package dev.ramet.cli;

import org.jspecify.annotations.NullMarked;
