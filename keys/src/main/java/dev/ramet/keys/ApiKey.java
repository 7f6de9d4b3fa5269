// SPDX-License-Identifier: Apache-2.0
package dev.ramet.keys;

import java.time.Instant;

/**
 * A key as it is kept: everything but the key. Immutable and thread-safe.
 *
 * @param id what it is called in lists, logs and to revoke it; says nothing of the key
 * @param name what the operator calls it
 * @param scope what it is for
 * @param createdAt when it was made
 * @param sha256 the digest of the key, as lower-case hexadecimal digits
 */
public record ApiKey(String id, String name, Scope scope, Instant createdAt, String sha256) {}
