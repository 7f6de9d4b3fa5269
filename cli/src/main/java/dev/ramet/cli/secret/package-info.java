// SPDX-License-Identifier: Apache-2.0
/** Commands for secrets. */
@NullMarked
package dev.ramet.cli.secret;

import org.jspecify.annotations.NullMarked;
