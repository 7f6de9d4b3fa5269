// SPDX-License-Identifier: Apache-2.0
package dev.ramet.keys;

import java.time.Instant;

/**
 * An API key as stored: everything except the key itself. Immutable and thread-safe.
 *
 * @param id its id in lists, in logs and for revoking; reveals nothing about the key
 * @param name the operator's name for it
 * @param scope what it permits
 * @param createdAt when it was created
 * @param sha256 the SHA-256 digest of the key, as lower-case hexadecimal digits
 */
public record ApiKey(String id, String name, Scope scope, Instant createdAt, String sha256) {}
