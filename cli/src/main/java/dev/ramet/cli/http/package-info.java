// SPDX-License-Identifier: Apache-2.0

/** The light HTTP path: the host's own routes and the guest agent behind them. */
@NullMarked
package dev.ramet.cli.http;

import org.jspecify.annotations.NullMarked;
