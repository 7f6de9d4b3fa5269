// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link StorageProvisioner} has made under a data root, or could make.
 *
 * @param state where things stand
 * @param root where a storage backend would work: the place made, or the data root itself when it
 *     is good enough
 * @param sizeBytes how large the place is, or would be by default; 0 when unknown
 * @param detail what was found, in one sentence for a person
 * @param remedy what to do about it, or null when nothing needs doing
 */
public record ProvisioningStatus(
    State state, Path root, long sizeBytes, String detail, @Nullable String remedy) {
  /** Where things stand. */
  public enum State {
    /** The data root is good enough by itself. */
    UNNEEDED,
    /** Nothing is made, and it can be. */
    POSSIBLE,
    /** Nothing is made, and it cannot be; the remedy says what is missing. */
    IMPOSSIBLE,
    /** Made and out of use, as after a restart of the host: provisioning brings it back. */
    STOPPED,
    /** Made and in use. */
    ACTIVE
  }
}
