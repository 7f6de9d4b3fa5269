// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;

/**
 * A directory tree on the host that sandboxes share. Immutable.
 *
 * @param id stable id
 * @param name its name, which no other has
 * @param token what lets whoever brings it read and write its files through the host
 * @param createdAt when it was made
 */
public record Volume(String id, String name, String token, Instant createdAt) {}
