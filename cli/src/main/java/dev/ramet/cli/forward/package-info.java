// SPDX-License-Identifier: Apache-2.0
/** Ports of this machine that lead to ports of a sandbox. */
@NullMarked
package dev.ramet.cli.forward;

import org.jspecify.annotations.NullMarked;
