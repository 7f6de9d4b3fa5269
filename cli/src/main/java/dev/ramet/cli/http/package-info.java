// SPDX-License-Identifier: Apache-2.0

/** The lightweight HTTP client: the host's own routes and the guest agents behind them. */
@NullMarked
package dev.ramet.cli.http;

import org.jspecify.annotations.NullMarked;
