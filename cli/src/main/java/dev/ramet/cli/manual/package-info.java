// SPDX-License-Identifier: Apache-2.0
/** The help of commands as manual pages, and its texts without the parser's variables. */
@NullMarked
package dev.ramet.cli.manual;

import org.jspecify.annotations.NullMarked;
