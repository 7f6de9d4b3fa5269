// SPDX-License-Identifier: Apache-2.0

/** Tests of requests to a host. */
@NullMarked
package dev.ramet.cli.http;

import org.jspecify.annotations.NullMarked;
