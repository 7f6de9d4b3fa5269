// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volumes;

import java.time.Instant;

/**
 * A directory tree on the host that sandboxes share. Immutable.
 *
 * @param id stable id
 * @param name its unique name
 * @param token the token that grants read and write access to its files through the host
 * @param createdAt when it was created
 */
public record Volume(String id, String name, String token, Instant createdAt) {}
