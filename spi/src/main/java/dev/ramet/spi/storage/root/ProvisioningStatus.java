// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage.root;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The state of the place that a {@link StorageProvisioner} has created under a data root, or could
 * create.
 *
 * @param state the state of the place
 * @param root where a storage backend would work: the place created, or the data root itself if it
 *     is good enough
 * @param sizeBytes how large the place is, or would be by default; 0 if unknown
 * @param detail the finding in one sentence for people
 * @param remedy what to do about it, or null if nothing needs doing
 */
public record ProvisioningStatus(
    State state, Path root, long sizeBytes, String detail, @Nullable String remedy) {
  /** The state of a provisioned place. */
  public enum State {
    /** The data root is good enough by itself. */
    UNNEEDED,
    /** Nothing has been created yet, and provisioning can succeed. */
    POSSIBLE,
    /**
     * Nothing has been created, and provisioning cannot succeed; the remedy says what is missing.
     */
    IMPOSSIBLE,
    /**
     * Created but not in use, as after a restart of the host; provisioning makes it available
     * again.
     */
    STOPPED,
    /** Created and in use. */
    ACTIVE
  }
}
