// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A volume or a snapshot.
 *
 * @param id its name
 * @param kind writable volume or immutable snapshot
 * @param origin the ultimate ancestor, under whose directory the node lives; a node without an
 *     ancestor is its own origin
 * @param sizeBytes the virtual size
 */
public record Node(NodeId id, Kind kind, NodeId origin, long sizeBytes) {
  /** The kind of a node. */
  public enum Kind {
    /** Writable, attached to at most one sandbox. */
    VOLUME,
    /** Immutable. */
    SNAPSHOT
  }
}
