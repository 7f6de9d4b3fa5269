// SPDX-License-Identifier: Apache-2.0
/** Commands that change an existing sandbox: restart, end, names, labels. */
@NullMarked
package dev.ramet.cli.life;

import org.jspecify.annotations.NullMarked;
