// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.cli.observe;

import org.jspecify.annotations.NullMarked;
