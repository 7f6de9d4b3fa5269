// SPDX-License-Identifier: Apache-2.0

/** Commands for templates. */
@NullMarked
package dev.ramet.cli.template;

import org.jspecify.annotations.NullMarked;
