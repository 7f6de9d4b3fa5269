// SPDX-License-Identifier: Apache-2.0
/** Commands for saved contexts: the hosts that the user gave names. */
@NullMarked
package dev.ramet.cli.context;

import org.jspecify.annotations.NullMarked;
