// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.cli.shell;

import org.jspecify.annotations.NullMarked;
