// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import dev.ramet.spi.storage.StorageBackend;

/**
 * Opens the backend so that it announces every change to the disk before it makes it. The kit then
 * kills it at each of them in turn: the observer throws an error, from then on at every
 * announcement, so that the backend changes nothing any more, and the kit opens the root anew.
 */
public interface StepControl {
  /** Is told of each change. */
  @FunctionalInterface
  interface Observer {
    /** A change is about to be made; when this throws, it must not be made. */
    void before(String step);
  }

  /** Opens the harness's root. An error of the observer may come out of this call as well. */
  StorageBackend open(Observer observer);

  /**
   * Lets go of what the kernel takes back from a dead process, such as locks, without a change to
   * the disk.
   */
  default void abandon(StorageBackend dead) {
    dead.close();
  }
}
