// SPDX-License-Identifier: Apache-2.0
/**
 * Access to the host's API: keys and their scopes, the local socket, rate limits and the audit log.
 */
@NullMarked
package dev.ramet.server.access;

import org.jspecify.annotations.NullMarked;
