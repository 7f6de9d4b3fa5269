// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.store;

/**
 * What a root was made with. Reopening never chooses again.
 *
 * @param format version of the layout
 * @param storageBackend id of the storage backend
 */
public record RootRecord(int format, String storageBackend) {
  /** The layout this code writes. */
  public static final int FORMAT = 1;
}
