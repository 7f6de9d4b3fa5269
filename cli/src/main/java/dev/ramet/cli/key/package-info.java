// SPDX-License-Identifier: Apache-2.0
/** Commands for API keys, which work on this machine's files whether or not a host runs. */
@NullMarked
package dev.ramet.cli.key;

import org.jspecify.annotations.NullMarked;
