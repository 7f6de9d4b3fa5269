// SPDX-License-Identifier: Apache-2.0
/** How commands find and enter a host on their own machine. */
@NullMarked
package dev.ramet.cli.local;

import org.jspecify.annotations.NullMarked;
