// SPDX-License-Identifier: Apache-2.0

/** Tests of the lightweight HTTP client. */
@NullMarked
package dev.ramet.cli.http;

import org.jspecify.annotations.NullMarked;
