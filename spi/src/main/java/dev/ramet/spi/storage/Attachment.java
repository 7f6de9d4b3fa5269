// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;

/**
 * The file or device through which a hypervisor or the page writer reaches a node's bytes. Valid
 * until the node is deleted.
 *
 * @param kind what {@code path} is
 * @param path absolute path of the file or device
 * @param readOnly true for snapshots, which must not be written
 */
public record Attachment(Kind kind, Path path, boolean readOnly) {
  /** The type of the path. */
  public enum Kind {
    /** A regular, possibly sparse file. */
    FILE,
    /** A block device. */
    BLOCK_DEVICE
  }
}
