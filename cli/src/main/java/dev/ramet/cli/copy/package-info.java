// SPDX-License-Identifier: Apache-2.0
/** Files and folders, into and out of a sandbox. */
@NullMarked
package dev.ramet.cli.copy;

import org.jspecify.annotations.NullMarked;
