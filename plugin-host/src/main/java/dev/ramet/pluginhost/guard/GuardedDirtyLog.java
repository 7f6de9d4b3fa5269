// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.spi.memory.DirtyLog;

/**
 * Guards a hypervisor's log of written pages, see {@link Guard}, because a memory mode of another
 * plugin drains it. Equal to another guard of the same log, as {@link
 * dev.ramet.spi.memory.GuestMemory} demands.
 *
 * @param log the plugin's log
 * @param guard names the plugin
 */
record GuardedDirtyLog(DirtyLog log, Guard guard) implements DirtyLog {
  @Override
  public Drained drain() {
    try {
      Drained answer = guard.requireNonNull("drain", log.drain());
      guard.requireNonNull("drain", answer.pages());
      return answer;
    } catch (Throwable e) {
      throw guard.failed("drain", e);
    }
  }
}
