// SPDX-License-Identifier: Apache-2.0
/** Commands for the settings of a host on this machine, which need not run. */
@NullMarked
package dev.ramet.cli.config;

import org.jspecify.annotations.NullMarked;
