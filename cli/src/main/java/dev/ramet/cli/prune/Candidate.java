// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.prune;

import dev.ramet.cli.http.Client;

/**
 * An object that can be removed. Immutable and thread-safe.
 *
 * @param kind {@code sandbox}, {@code snapshot} or {@code template}
 * @param id its id
 * @param reason why nobody needs it
 * @param created when it was created, RFC 3339
 * @param bytes the space of its own, or -1 where the host does not say
 */
record Candidate(String kind, String id, String reason, String created, long bytes) {
  /** Returns the route of the object. */
  String path() {
    return (kind.equals("sandbox")
            ? "/sandboxes/"
            : kind.equals("snapshot") ? "/snapshots/" : "/templates/")
        + Client.encode(id);
  }
}
