// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.Locale;

/**
 * A way to find out which pages of a machine changed, which a memory mode needs and a hypervisor
 * allows or offers. Later versions may add ways.
 */
public enum Access {
  /** Reading the process's memory and page table ({@code pagemap}). */
  READ,
  /** Clearing and reading the soft-dirty bits of the process's page table. */
  SOFT_DIRTY,
  /** Stopping the process for a moment in order to make a system call in it. */
  INJECT,
  /** The hypervisor hands over a userfaultfd of the memory, {@link GuestMemory#userfaultfd}. */
  OFFERED_USERFAULTFD,
  /** The hypervisor logs which pages are written, {@link GuestMemory#dirtyLog}. */
  DIRTY_LOG;

  /** Returns the name that people read, for example {@code dirty-log}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
