// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import dev.ramet.spi.storage.StorageBackend;

/**
 * Opens the backend so that it announces every change to the disk before making it. The kit then
 * kills it at each change in turn: the observer throws an error at that announcement and all later
 * ones, so that the backend changes nothing any more, and the kit opens the root again.
 */
public interface StepControl {
  /** Receives the announcement of each change. */
  @FunctionalInterface
  interface Observer {
    /** Called before a change is made; if this throws, the change must not be made. */
    void before(String step);
  }

  /**
   * Opens the harness's root. An error thrown by the observer may also propagate from this call.
   */
  StorageBackend open(Observer observer);

  /**
   * Releases what the kernel reclaims from a dead process, such as locks, without a change to the
   * disk.
   */
  default void abandon(StorageBackend dead) {
    dead.close();
  }
}
