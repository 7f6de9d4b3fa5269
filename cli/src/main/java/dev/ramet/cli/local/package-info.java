// SPDX-License-Identifier: Apache-2.0
/** Finds a host on this machine and authenticates to it. */
@NullMarked
package dev.ramet.cli.local;

import org.jspecify.annotations.NullMarked;
