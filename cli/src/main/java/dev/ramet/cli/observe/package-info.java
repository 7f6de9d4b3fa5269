// SPDX-License-Identifier: Apache-2.0
/** Logs and measurements of sandboxes. */
@NullMarked
package dev.ramet.cli.observe;

import org.jspecify.annotations.NullMarked;
