// SPDX-License-Identifier: Apache-2.0
/**
 * The certificate that the host shows: read from an operator's files, or made here, and looked at
 * again while the host runs.
 */
@NullMarked
package dev.ramet.server.tls;

import org.jspecify.annotations.NullMarked;
