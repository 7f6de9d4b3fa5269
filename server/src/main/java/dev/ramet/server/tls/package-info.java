// SPDX-License-Identifier: Apache-2.0
/**
 * The host's TLS certificate: read from the operator's files or self-issued, and reloaded when it
 * changes.
 */
@NullMarked
package dev.ramet.server.tls;

import org.jspecify.annotations.NullMarked;
